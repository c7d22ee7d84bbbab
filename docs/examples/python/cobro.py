"""A small client of Cobro, with nothing but the standard library. Take it as it is, or as a pattern."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

ATTEMPTS = 5
# Whoever is told to come back later than that, as tomorrow, is better told so.
LONGEST_WAIT = 60


class Refused(Exception):
    """An answer that is no success. Branch on `code`; `message` is for people, and its wording may change."""

    def __init__(self, status, error):
        super().__init__(f"{status} {error['code']}: {error['message']} (see {error['docUrl']})")
        self.status = status
        self.code = error["code"]
        self.param = error.get("param")
        self.request_id = error["requestId"]


class Cobro:
    def __init__(self, base_url, credential):
        self.base_url = base_url
        self.credential = credential

    def get(self, path, **query):
        if query:
            path = f"{path}?{urllib.parse.urlencode(query)}"
        return self._send("GET", path)

    def post(self, path, body, key=None):
        """Carries a command out once, however often it takes to be heard.

        Keep the key with your own record of the command, so that it is the same after a crash of yours.
        """
        return self._send("POST", path, body, key or str(uuid.uuid4()))

    def delete(self, path, key=None):
        """Removes what is there, once."""
        return self._send("DELETE", path, None, key or str(uuid.uuid4()))

    def pages(self, path, **query):
        """Every element of a list, part by part."""
        page = self.get(path, **query)
        yield from page["data"]
        while page["hasMore"]:
            page = self.get(path, **query, cursor=page["nextCursor"])
            yield from page["data"]

    def _send(self, method, path, body=None, key=None):
        headers = {"Authorization": f"Bearer {self.credential}"}
        if key is not None:
            headers["Idempotency-Key"] = key
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body).encode()
        request = urllib.request.Request(f"{self.base_url}{path}", body, headers, method=method)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                # A card provider that is silent is waited for up to 120 seconds.
                with urllib.request.urlopen(request, timeout=150) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as answer:
                refused = Refused(answer.code, json.load(answer)["error"])
                wait = answer.headers.get("Retry-After")
                # 409 is final unless it says when to come back: then the first request is still being carried out.
                may_succeed = answer.code in (429, 500, 502, 503) or (answer.code == 409 and wait)
                if not may_succeed or attempt == ATTEMPTS or int(wait or 0) > LONGEST_WAIT:
                    raise refused from None
                pause = int(wait or 2**attempt)
            except (urllib.error.URLError, TimeoutError, ConnectionError):
                # Nobody knows whether it arrived. The same key makes it safe to ask again.
                if attempt == ATTEMPTS:
                    raise
                pause = 2**attempt
            time.sleep(pause)
