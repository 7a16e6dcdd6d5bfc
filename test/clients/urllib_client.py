"""A client that uses only Python's standard library. session.mjs describes its steps."""

import base64
import gzip
import json
import os
import urllib.error
import urllib.parse
import urllib.request

BASE, ID, SECRET = (os.environ[name] for name in ("BASE", "CLIENT_ID", "CLIENT_SECRET"))


def send(request):
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def token(secret, basic):
    form = {"grant_type": "client_credentials"}
    headers = {}
    if basic:
        both = ":".join(urllib.parse.quote_plus(half) for half in (ID, secret))
        headers["Authorization"] = "Basic " + base64.b64encode(both.encode()).decode()
    else:
        form.update(client_id=ID, client_secret=secret)
    data = urllib.parse.urlencode(form).encode()
    return json.loads(send(urllib.request.Request(BASE + "/auth/token", data, headers))[2])


body, by_basic = token(SECRET, False), token(SECRET, True)


def get(**headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    headers["Authorization"] = "Bearer " + by_basic["access_token"]
    return send(urllib.request.Request(BASE + "/stock", headers=headers))


wrong = [token("wrong", basic)["error"] for basic in (False, True)]
_, plain, text = get()
skus = [element["SKU"] for element in json.loads(text)]
again, _, _ = get(If_None_Match=plain["ETag"])
_, packed, compressed = get(Accept_Encoding="gzip")
for _ in range(50):
    status, refusal, refused = get()
    if status != 200:
        break

print(
    json.dumps(
        {
            "types": [body["token_type"].lower(), by_basic["token_type"].lower()],
            "expires": [body["expires_in"], by_basic["expires_in"]],
            "wrong": wrong,
            "skus": skus,
            "complete": urllib.parse.unquote(plain["X-Last-SKU"]) == skus[-1],
            "again": again,
            "gzip": [packed["Content-Encoding"], gzip.decompress(compressed) == text],
            "quota": [status, int(refusal["Retry-After"]) > 0, json.loads(refused)["message"]],
        }
    )
)
