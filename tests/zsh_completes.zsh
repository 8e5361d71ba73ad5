# zsh_completes.zsh DIR LINE EXPECTED: whether zsh, with the function _tacho in DIR, offers EXPECTED when Tab is pressed twice
# behind LINE.
zmodload zsh/zpty || exit 2
zpty shell zsh -f -i
zpty -w shell "fpath=('$1' \$fpath); autoload -Uz compinit; compinit -u -D; echo REA''DY"
while zpty -r shell part; do [[ $part == *READY* ]] && break; done
zpty -w -n shell "$2"$'\t\t'
while zpty -r shell part; do
	text+=$part
	[[ $text == *$3* ]] && exit 0
done
exit 1
