"""Nightly sync with Python 3.9 or later, without packages.

Needs BASE_URL, CLIENT_ID, CLIENT_SECRET; keeps its state in the folder STATE. Elements are kept as the text that came, a
line each: numbers stay exact, and equal lines are equal. To compute with prices: json.loads(line, parse_float=Decimal).
"""

import gzip
import http.client
import json
import os
import pathlib
import random
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

BASE_URL, CLIENT_ID, CLIENT_SECRET = (os.environ[name] for name in ("BASE_URL", "CLIENT_ID", "CLIENT_SECRET"))
STATE = pathlib.Path(os.environ.get("STATE", "customer-data"))
ATTEMPTS = 6


def once(path, data, headers):
    request = urllib.request.Request(BASE_URL + path, data, {"Accept-Encoding": "gzip", **headers})
    try:
        answer = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        body = answer.read()  # throws where the answer was cut
        if answer.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        return answer.status, answer.headers, body.decode()


def send(path, data=None, headers={}):
    """Sends until there is an answer that another try would not mend."""
    for attempt in range(1, ATTEMPTS + 1):
        wait = ""
        try:
            status, answered, text = once(path, data, headers)
            if status != 429 and status < 500:
                return status, answered, text
            problem = f"status {status}"
            wait = answered.get("Retry-After", "")
        except (OSError, EOFError, http.client.HTTPException) as error:
            problem = repr(error)
        if attempt == ATTEMPTS:
            raise SystemExit(f"{path}: given up after {attempt} attempts, the last one: {problem}")
        # Without a number of seconds: 2, 4, 8 … of them, and a bit by chance, so that not all come back at once.
        wait = float(wait if wait.isdigit() else 2**attempt * (0.5 + random.random()))
        print(f"{path}: {problem}; again in {wait:.1f} s", file=sys.stderr)
        time.sleep(wait)


def new_token():
    form = {"grant_type": "client_credentials", "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
    status, _, text = send("/auth/token", urllib.parse.urlencode(form).encode())
    if status != 200:
        raise SystemExit(f"No token: {status} {text}")
    return json.loads(text)["access_token"]


class Session:
    token = None

    def get(self, path, etag):
        for _ in range(2):
            self.token = self.token or new_token()
            headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/x-ndjson", "If-None-Match": etag}
            answer = send(path, headers=headers)
            if answer[0] != 401:
                break
            self.token = None  # It has expired: a new one, once.
        return answer


def by_sku(text):
    return {json.loads(line)["SKU"]: line for line in text.split("\n") if line}


def sync(session, name):
    file, tag_file = STATE / f"{name}.ndjson", STATE / f"{name}.etag"
    before = file.read_text("utf-8") if file.exists() else ""
    etag = tag_file.read_text() if file.exists() and tag_file.exists() else ""
    status, headers, text = session.get(f"/{name}", etag)
    if status == 304:
        return print(f"{name}: unchanged")
    # Something in between may answer in good order, and what it says is no product.
    if status != 200 or headers.get_content_type() != "application/x-ndjson":
        raise SystemExit(f"{name}: {status}, {headers.get_content_type()}: {text}")

    old, now = by_sku(before), by_sku(text)
    changed = sum(old[sku] != now[sku] for sku in old.keys() & now.keys())
    added, gone = len(now.keys() - old.keys()), len(old.keys() - now.keys())
    print(f"{name}: {added} new, {changed} changed, {gone} gone, {len(now)} in all")

    # In this order the tag never speaks of another file than the one beside it, whenever this is killed.
    tag_file.unlink(missing_ok=True)
    new = file.with_suffix(".new")
    new.write_bytes(text.encode())
    new.replace(file)
    tag_file.write_text(headers["ETag"])


STATE.mkdir(parents=True, exist_ok=True)
session = Session()
for name in ("products", "prices", "stock"):
    sync(session, name)
