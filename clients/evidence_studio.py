"""Evidence Studio from Python: one file, no dependencies, Python 3.9 or later.

    from evidence_studio import EvidenceStudio

    studio = EvidenceStudio("http://127.0.0.1:4178", "evs_...")
    project = studio.post("projects", {"name": "Variant review", "domain": "clinical_genetics"})

An outcome is "TRUE" (problem found), "FALSE" (evidence present), "NA" (not available) or None (not
recorded). A result states evidence sufficiency under one profile, never truth.
"""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

__all__ = ["EvidenceStudio", "Refused"]

#: Statuses that are worth repeating, after the seconds that the server names.
_AGAIN = (429, 503)
_TRIES = 5
_LONGEST_WAIT = 30.0
_OUTCOMES_A_REQUEST = 10_000


class Refused(Exception):
    """A request that the server refused. `code` is stable, `details` name the places."""

    def __init__(self, status, body):
        self.status = status
        self.code = body.get("error", "unknown")
        self.details = body.get("details", [])
        self.request_id = body.get("request_id")
        places = "; ".join(f"{place['path']}: {place['message']}" for place in self.details)
        super().__init__(f"{self.code}: {body.get('message', status)}{' ' if places else ''}{places}")


class EvidenceStudio:
    """Calls the API of one server with one key."""

    def __init__(self, url, key, timeout=60.0):
        self._base = url.rstrip("/") + "/api/v1/"
        self._key = key
        self._timeout = timeout

    def get(self, path, **query):
        """The answer of a read. `path` is below /api/v1, its parts percent-encoded."""
        given = {name: value for name, value in query.items() if value is not None}
        return self._call("GET", path + ("?" + urllib.parse.urlencode(given) if given else ""))

    def post(self, path, body, idempotency_key=None):
        """The answer of a write. Repeats after a lost answer write nothing a second time."""
        return self._call("POST", path, body, idempotency_key or str(uuid.uuid4()))

    def pages(self, path, member="data", **query):
        """Every entry of a list, page by page; evidence has them in `items`."""
        cursor = None
        while True:
            page = self.get(path, cursor=cursor, **query)
            yield from page[member]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def outcomes(self, case_uid, profile_uid=None):
        """The recorded cells of a case as {item_uid: {rule_uid: outcome}}; absent: not recorded."""
        path = f"cases/{urllib.parse.quote(case_uid, safe='')}/evidence"
        return {
            item["item_uid"]: {
                cell["rule_uid"]: cell["raw_outcome"]
                for cell in item["evidence"]
                if cell["raw_outcome"] is not None
            }
            for item in self.pages(path, "items", profile_uid=profile_uid, limit=200)
        }

    def record(self, case_uid, profile_uid, cells):
        """Records cells: (item_uid, rule_uid, outcome) or dicts with source_value, notes, provenance.

        At most 10,000 go into a request; each request is written whole or not at all. Returns the
        receipts.
        """
        entries = [
            cell if isinstance(cell, dict) else dict(zip(("item_uid", "rule_uid", "raw_outcome"), cell))
            for cell in cells
        ]
        receipts = []
        for start in range(0, len(entries), _OUTCOMES_A_REQUEST):
            items = {}
            for entry in entries[start : start + _OUTCOMES_A_REQUEST]:
                evidence = {name: value for name, value in entry.items() if name != "item_uid"}
                items.setdefault(entry["item_uid"], []).append(evidence)
            body = {
                "case_uid": case_uid,
                "profile_uid": profile_uid,
                "items": [
                    {"item_uid": item_uid, "evidence": evidence}
                    for item_uid, evidence in items.items()
                ],
            }
            receipts.append(self.post("evidence", body))
        return receipts

    def run(self, case_uid, profile_uid):
        """Freezes case, profile, matrix and result; the saved run."""
        return self.post("runs", {"case_uid": case_uid, "profile_uid": profile_uid})

    def _call(self, method, path, body=None, idempotency_key=None):
        headers = {"Authorization": f"Bearer {self._key}", "Accept": "application/json"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
            headers["Idempotency-Key"] = idempotency_key
        for left in reversed(range(_TRIES)):
            request = urllib.request.Request(self._base + path, data, headers, method=method)
            try:
                with urllib.request.urlopen(request, timeout=self._timeout) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                if error.code in _AGAIN and left > 0:
                    time.sleep(min(_LONGEST_WAIT, float(error.headers.get("Retry-After") or 1)))
                    continue
                raise Refused(error.code, _read(error)) from None
            except (urllib.error.URLError, TimeoutError, ConnectionError):
                if left == 0:
                    raise
                time.sleep(1)
        raise AssertionError("unreachable")


def _read(error):
    try:
        body = json.load(error)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
