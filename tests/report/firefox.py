"""Opens a page in Firefox, runs a script in it and prints what it returns; Marionette's protocol, of which no package is needed.

usage: firefox.py PAGE SCRIPT [SCREENSHOT]     SCRIPT: the body of an asynchronous function; lines //---- part it into several
With TACHO_CPU in the environment the CPU time of all of Firefox's processes during each stands behind what it returns.
Exit status 77: Firefox does not start here, within a minute.
"""
import base64, json, os, socket, subprocess, sys, tempfile, time

PREFERENCES = {"marionette.port": 0, "datareporting.policy.dataSubmissionEnabled": False, "toolkit.telemetry.enabled": False,
    "app.update.enabled": False, "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "browser.shell.checkDefaultBrowser": False, "browser.startup.homepage_override.mstone": "ignore"}


class Firefox:
    def __init__(self, home):
        profile = os.path.join(home, "profile")
        os.mkdir(profile)
        with open(os.path.join(profile, "user.js"), "w") as f:
            f.writelines(f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in PREFERENCES.items())
        # a container has no sandboxes in sandboxes
        off = {f"MOZ_DISABLE_{what}_SANDBOX": "1" for what in ("CONTENT", "RDD", "GMP", "SOCKET_PROCESS")}
        self.process = subprocess.Popen(["firefox-esr", "--headless", "--no-remote", "--profile", profile, "--marionette"],
            env={**os.environ, "HOME": home, **off}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = os.path.join(profile, "MarionetteActivePort")
        for _ in range(600):
            if os.path.exists(port) and open(port).read():
                break
            time.sleep(0.1)
        else:
            self.process.kill()
            self.process.wait()
            sys.exit(77)
        self.stream = socket.create_connection(("127.0.0.1", int(open(port).read())), timeout=90).makefile("rwb")
        self.read()
        self.n = 0
        self("WebDriver:NewSession")

    def read(self):
        size = b""
        while (byte := self.stream.read(1)) != b":":
            size += byte
        return json.loads(self.stream.read(int(size)))

    def __call__(self, command, **parameters):
        self.n += 1
        text = json.dumps([0, self.n, command, parameters]).encode()
        self.stream.write(b"%d:%s" % (len(text), text))
        self.stream.flush()
        _, _, error, result = self.read()
        if error:
            raise RuntimeError(f"{command}: {error['message']}")
        return result.get("value") if isinstance(result, dict) else result


def cpu_ms(root):
    """CPU time of a process and its descendants."""
    parents, ticks = {}, {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents[int(pid)], ticks[int(pid)] = int(words[1]), int(words[11]) + int(words[12])
    def below(pid):
        while pid not in (0, root):
            pid = parents.get(pid, 0)
        return pid == root
    return sum(t for pid, t in ticks.items() if below(pid)) * 1000 // os.sysconf("SC_CLK_TCK")


def main():
    page, script = "file://" + os.path.abspath(sys.argv[1]), open(sys.argv[2]).read()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        firefox = Firefox(home)
        try:
            firefox("WebDriver:SetWindowRect", width=1400, height=1000)
            firefox("WebDriver:Navigate", url=page)
            firefox("WebDriver:SetTimeouts", script=60000)
            for script in script.split("//----\n"):
                wrapped = "const done = arguments[0]; (async () => {" + script + "})().then(done, (e) => done('error: ' + e));"
                used = cpu_ms(firefox.process.pid)
                said = firefox("WebDriver:ExecuteAsyncScript", script=wrapped, args=[])
                print(said + (f" ({cpu_ms(firefox.process.pid) - used} ms of CPU)" if "TACHO_CPU" in os.environ else ""))
            if len(sys.argv) > 3:
                picture = firefox("WebDriver:TakeScreenshot", full=False)
                open(sys.argv[3], "wb").write(base64.b64decode(picture))
        finally:
            firefox.process.terminate()
            firefox.process.wait()


main()
