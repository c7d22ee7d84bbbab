"""A small client of Cobro without dependencies. Use it unchanged, or as a pattern."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

ATTEMPTS = 5
# A longer Retry-After in seconds, such as until tomorrow, is reported as an error instead.
MAX_WAIT = 60


class Refused(Exception):
    """An error response. Branch on `code`; `message` is for people, and its wording may change."""

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
        """Executes a command once, with retries.

        Store the key with your record of the command, so that a retry after a crash of your program has the same key.
        """
        return self._send("POST", path, body, key or str(uuid.uuid4()))

    def delete(self, path, key=None):
        """Deletes the object, with retries."""
        return self._send("DELETE", path, None, key or str(uuid.uuid4()))

    def pages(self, path, **query):
        """Yields all items of a list, page by page."""
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
                # The server waits up to 120 seconds for a card provider.
                with urllib.request.urlopen(request, timeout=150) as response:
                    return json.load(response)
            except urllib.error.HTTPError as response:
                refused = Refused(response.code, json.load(response)["error"])
                wait = response.headers.get("Retry-After")
                # 409 is final unless it has Retry-After: then the first request is still running.
                may_succeed = response.code in (429, 500, 502, 503) or (response.code == 409 and wait)
                if not may_succeed or attempt == ATTEMPTS or int(wait or 0) > MAX_WAIT:
                    raise refused from None
                pause = int(wait or 2**attempt)
            except (urllib.error.URLError, TimeoutError, ConnectionError):
                # The outcome is unknown. A retry with the same key is safe.
                if attempt == ATTEMPTS:
                    raise
                pause = 2**attempt
            time.sleep(pause)
