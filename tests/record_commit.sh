#!/bin/sh
# Which commit and branch tacho record keeps: CI's variables, or the files of git, which is not run.
. "$top_srcdir/tests/report_common.sh"
needs git
plan 9
find_commit=$top_builddir/tests/unit/commit_find
cd "$work" || exit 1
for name in GITHUB_SHA GITHUB_HEAD_REF GITHUB_REF_NAME CI_COMMIT_SHA CI_COMMIT_REF_NAME CI_MERGE_REQUEST_SOURCE_BRANCH_NAME GIT_COMMIT GIT_BRANCH \
	BUILD_SOURCEVERSION BUILD_SOURCEBRANCH CIRCLE_SHA1 CIRCLE_BRANCH BUILDKITE_COMMIT BUILDKITE_BRANCH BITBUCKET_COMMIT BITBUCKET_BRANCH GIT_DIR GIT_WORK_TREE; do
	unset "$name"
done
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

# says WANTED [FOLDER]
says() { said=$(cd "${2:-.}" && "$find_commit") && [ "$said" = "$1" ] || { echo "# $said instead of $1"; return 1; }; }
commit() { git -C "$1" -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -q --allow-empty -m "$2"; }
head_of() { git -C "$1" rev-parse HEAD; }

says " "
check $? "without a repository there is none"
git init -q repo && git -C repo symbolic-ref HEAD refs/heads/topic/one && mkdir -p repo/a/b && says " " repo
check $? "nor in one without a commit"
commit repo first && says "$(head_of repo) topic/one" repo && says "$(head_of repo) topic/one" repo/a/b
check $? "commit and branch are those that are checked out, in folders below, too"
commit repo second && git -C repo pack-refs --all && says "$(head_of repo) topic/one" repo && commit repo third && says "$(head_of repo) topic/one" repo
check $? "also where git has packed its branches"
git -C repo worktree add -q -b other ../tree && commit tree fourth && says "$(head_of tree) other" tree && git -C tree pack-refs --all &&
	says "$(head_of tree) other" tree && says "$(head_of repo) topic/one" repo
check $? "a worktree has its own"
git -C repo checkout -q --detach && says "$(head_of repo) " repo
check $? "a detached head has no branch"
hash=0123456789abcdef0123456789abcdef01234567
GITHUB_SHA=$hash GITHUB_REF_NAME=main says "$hash main" repo && GITHUB_SHA=$hash GITHUB_REF_NAME=12/merge GITHUB_HEAD_REF=fix says "$hash fix" &&
	CI_COMMIT_SHA=$hash CI_COMMIT_REF_NAME=v1 says "$hash v1" && BUILD_SOURCEVERSION=$hash BUILD_SOURCEBRANCH=refs/heads/x/y says "$hash x/y"
check $? "the variables of CI come first"
GITHUB_SHA='token secret' GITHUB_REF_NAME=main says " " && GITHUB_SHA=$hash GITHUB_REF_NAME='https://user:secret@host/' says "$hash "
check $? "what is no commit or branch is not kept"
mkdir odd && mkfifo odd/.git && says " " odd && rm -r odd/.git && mkdir odd/.git && echo 'ref: ../../repo/.git/HEAD' >odd/.git/HEAD && says " " odd &&
	echo 'ref: refs/heads/../../../repo/.git/refs/heads/topic/one' >odd/.git/HEAD && says " " odd && rm odd/.git/HEAD && mkfifo odd/.git/HEAD && says " " odd
check $? "odd files in its place hold nobody up and lead nowhere"
