"""Fetches the data that has changed, with Python 3.9 or later and without packages.

Set BASE_URL, CLIENT_ID and CLIENT_SECRET. The folder STATE holds the text of each element as it was received, one on
each line. Numbers therefore stay exact, and equal elements are equal lines. To calculate with prices, read the lines
with json.loads(line, parse_float=Decimal).
"""

import gzip
import http.client
import json
import os
import pathlib
import random
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

BASE_URL, CLIENT_ID, CLIENT_SECRET = (os.environ[name] for name in ("BASE_URL", "CLIENT_ID", "CLIENT_SECRET"))
STATE = pathlib.Path(os.environ.get("STATE", "customer-data"))
ATTEMPTS = 6
PAUSE = 2  # seconds before the first retry
API_VERSION = "2026-04"  # the API profile that this script expects
ALLOW_REMOVALS = "--allow-removals" in sys.argv[1:]


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """urllib sends the token to the target of a redirect, even to another host."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirects)


def stop(code, problem):
    print(problem, file=sys.stderr)
    sys.exit(code)


def once(path, data, headers):
    request = urllib.request.Request(BASE_URL + path, data, {"Accept-Encoding": "gzip", **headers})
    try:
        response = OPENER.open(request, timeout=60)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        body = response.read()  # raises IncompleteRead if the response is truncated
        if response.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        text = body.decode()
        if response.status == 200 and is_data(response.headers) and is_truncated(path, response.headers, text):
            raise EOFError("truncated")
        return response.status, response.headers, text


def is_data(headers):
    return headers.get_content_type() == "application/x-ndjson"


def is_truncated(path, headers, text):
    """True if the end of the response is missing. Not every library reports a truncation."""
    if path.endswith("/changes"):
        return not text.endswith('\n{"End":true}\n')
    last = headers.get("X-Last-SKU")
    if last is None or not text.endswith("\n"):
        return last is not None or text != ""
    return json.loads(text.split("\n")[-2])["SKU"] != urllib.parse.unquote(last)


def send(path, data=None, headers={}):
    """Sends a request. Retries after 429, 5xx, a connection error or a truncated response."""
    for attempt in range(1, ATTEMPTS + 1):
        wait = ""
        try:
            status, received, text = once(path, data, headers)
            if status != 429 and status < 500:
                return status, received, text
            problem = f"status {status}"
            wait = received.get("Retry-After", "")
        except (OSError, EOFError, http.client.HTTPException) as error:
            problem = repr(error)
        if attempt == ATTEMPTS:
            raise SystemExit(f"{path}: gave up after {attempt} attempts: {problem}")
        # Without Retry-After, wait about 2, 4, 8 … seconds. The random part spreads the retries of many clients.
        wait = float(wait if wait.isdigit() else PAUSE * 2 ** (attempt - 1) * (0.5 + random.random()))
        print(f"{path}: {problem}; retrying in {wait:.1f} s", file=sys.stderr)
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
            received = send(path, headers=headers)
            if received[0] != 401:
                break
            self.token = None  # The token is no longer valid: request one new token.
        return received


def check_version(session):
    status, _, text = session.get("/api/version", "")
    found = re.search(r'"apiVersion":"([^"]*)"', text)
    if status != 200 or not found:
        raise SystemExit(f"/api/version: {status} {text}")
    if found[1] != API_VERSION:
        problem = f"The service has API profile {found[1]}, but this script expects {API_VERSION}."
        stop(20, f"{problem} Read the changelog, then change API_VERSION.")


def by_sku(text):
    return {json.loads(line)["SKU"]: line for line in text.split("\n") if line}


def apply_changes(old, text):
    """Applies a response of /changes to the old elements. A complete response replaces all of them."""
    first, *changes = text.split("\n")[:-1]
    now = {} if json.loads(first)["Complete"] else dict(old)
    for line in changes:
        change = json.loads(line)
        if "Changed" in change:
            now[change["Changed"]["SKU"]] = line[len('{"Changed":') : -1]
        elif "Gone" in change:
            now.pop(change["Gone"], None)
    return now


def sync(session, name):
    file, tag_file = STATE / f"{name}.ndjson", STATE / f"{name}.etag"
    before = file.read_text("utf-8") if file.exists() else ""
    etag = tag_file.read_text() if file.exists() and tag_file.exists() else ""
    has_changes = True
    status, headers, text = session.get(f"/{name}/changes", etag)
    if status == 404:  # An older release of the service has only whole responses.
        has_changes = False
        status, headers, text = session.get(f"/{name}", etag)
    if status == 304:
        return print(f"{name}: unchanged")
    # A 200 with a different Content-Type comes from a proxy and contains no products.
    if status != 200 or not is_data(headers):
        raise SystemExit(f"{name}: {status}, {headers.get_content_type()}: {text}")

    old = by_sku(before)
    now = apply_changes(old, text) if has_changes else by_sku(text)
    changed = sum(old[sku] != now[sku] for sku in old.keys() & now.keys())
    added, gone = len(now.keys() - old.keys()), len(old.keys() - now.keys())
    if gone and gone * 5 >= len(old) and not ALLOW_REMOVALS:
        problem = f"{name}: {gone} of {len(old)} elements would disappear, so the stored data was kept."
        stop(21, f"{problem} If they are really gone, run the script with --allow-removals.")
    print(f"{name}: {added} new, {changed} changed, {gone} gone, {len(now)} in all")

    # This order is safe if the script is killed: the ETag file belongs to the stored data, or does not exist.
    tag_file.unlink(missing_ok=True)
    new = file.with_suffix(".new")
    new.write_bytes("".join(line + "\n" for line in now.values()).encode())
    new.replace(file)
    tag_file.write_text(headers["ETag"])


STATE.mkdir(parents=True, exist_ok=True)
session = Session()
check_version(session)
for name in ("products", "prices", "stock"):
    sync(session, name)
