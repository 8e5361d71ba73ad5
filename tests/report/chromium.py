"""Chromium, instructed through a pipe in the protocol of its developer tools, of which no package is needed."""
import base64, json, os, select, shutil, subprocess, sys, tempfile, time


class Browser:
    """Messages end with a zero byte. A browser lives for `seconds` at most; tabs are sessions in it."""

    def __init__(self, seconds=90, *options):
        self.profile = tempfile.mkdtemp()
        child_in, self.out = os.pipe()
        self.answers, child_out = os.pipe()
        script = f"exec 3<&{child_in} 4>&{child_out}; exec \"$@\""
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
             "--user-data-dir=" + self.profile, "--remote-debugging-pipe", *options],
            pass_fds=(child_in, child_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(child_in)
        os.close(child_out)
        self.until, self.number, self.rest = time.monotonic() + seconds, 0, b""

    def ask(self, method, session=None, **params):
        """The result; an error of the browser's is an empty one."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            while b"\0" not in self.rest:
                if not select.select([self.answers], [], [], max(0, self.until - time.monotonic()))[0]:
                    sys.exit("no answer from the browser")
                got = os.read(self.answers, 1 << 16)
                if not got:
                    sys.exit("the browser has gone")
                self.rest += got
            answer, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(answer)
            if answer.get("id") == self.number:
                return answer.get("result", {})

    def tab(self):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        return self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def run(self, session, script):
        """What a script returns, as an asynchronous function's body."""
        answer = self.ask("Runtime.evaluate", session, expression="(async () => {" + script + "\n})()", returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", str(answer)))
        return answer.get("result", {}).get("value")

    def open(self, session, url, dark=False, width=1400, height=1000, vision="none"):
        """Loads a page, whose policy then lets scripts of a test run, and waits until it is there."""
        self.ask("Page.setBypassCSP", session, enabled=True)
        self.ask("Emulation.setDeviceMetricsOverride", session, width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", session, features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.ask("Emulation.setEmulatedVisionDeficiency", session, type=vision)
        if "errorText" in self.ask("Page.navigate", session, url=url):
            sys.exit(f"{url} cannot be opened")
        self.run(session, """while (document.readyState !== "complete") await new Promise((next) => setTimeout(next, 20));""")

    def picture(self, session, path, top=0, height=1000, width=1400):
        answer = self.ask("Page.captureScreenshot", session, captureBeyondViewport=True, clip={"x": 0, "y": top, "width": width, "height": height, "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
