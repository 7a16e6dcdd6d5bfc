<?php
// Fetches what has changed, with PHP 8 and its curl extension. Set BASE_URL, CLIENT_ID and CLIENT_SECRET. The folder
// STATE holds the text of each element as it was received, one on each line. Numbers therefore stay exact, and equal
// elements are equal lines.
declare(strict_types=1);

const ATTEMPTS = 6;
const PAUSE = 2; // seconds before the first retry
const API_VERSION = '2026-04'; // the API profile that this script expects
define('ALLOW_REMOVALS', in_array('--allow-removals', $argv, true));
$state = getenv('STATE') ?: 'customer-data';
$token = null;

function stop(int $code, string $problem): void
{
    fwrite(STDERR, "$problem\n");
    exit($code);
}

/** Sends a request once. Returns the status, the headers by lower-case name and the body, or the problem. */
function once(string $path, array $headers, ?array $form): array
{
    $received = [];
    $curl = curl_init(getenv('BASE_URL') . $path);
    curl_setopt_array($curl, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_ENCODING => 'gzip',
        CURLOPT_TIMEOUT => 900,
        CURLOPT_HTTPHEADER => $headers,
        CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$received): int {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $received[strtolower($name)] = trim($value);
            return strlen($line);
        },
    ]);
    if ($form) {
        curl_setopt($curl, CURLOPT_POSTFIELDS, http_build_query($form));
    }
    $body = curl_exec($curl); // false if the response is truncated
    if ($body === false) {
        return ['problem' => curl_error($curl)];
    }
    $response = ['status' => curl_getinfo($curl, CURLINFO_RESPONSE_CODE), 'headers' => $received, 'body' => $body];
    return isData($response) && isTruncated($path, $received, $body) ? ['problem' => 'truncated'] : $response;
}

function isData(array $response): bool
{
    return $response['status'] === 200 && str_starts_with($response['headers']['content-type'] ?? '', 'application/x-ndjson');
}

/** True if the end of the response is missing. Not every library reports a truncation. */
function isTruncated(string $path, array $headers, string $body): bool
{
    if (str_ends_with($path, '/changes')) {
        return !str_ends_with($body, "\n{\"End\":true}\n");
    }
    $last = $headers['x-last-sku'] ?? null;
    if ($last === null || !str_ends_with($body, "\n")) {
        return $last !== null || $body !== '';
    }
    $line = substr((string) strrchr("\n" . rtrim($body, "\n"), "\n"), 1);
    return json_decode($line, true, 512, JSON_THROW_ON_ERROR)['SKU'] !== rawurldecode($last);
}

/** Sends a request. Retries after 429, 5xx, a connection error or a truncated response. */
function send(string $path, array $headers = [], ?array $form = null): array
{
    for ($attempt = 1; ; $attempt++) {
        $response = once($path, $headers, $form);
        $problem = $response['problem'] ?? 'status ' . $response['status'];
        if (isset($response['status']) && $response['status'] !== 429 && $response['status'] < 500) {
            return $response;
        }
        if ($attempt === ATTEMPTS) {
            throw new RuntimeException("$path: gave up after $attempt attempts: $problem");
        }
        // Without Retry-After, wait about 2, 4, 8 … seconds. The random part spreads the retries of many clients.
        $seconds = $response['headers']['retry-after'] ?? '';
        $wait = (float) (ctype_digit($seconds) ? $seconds : PAUSE * 2 ** ($attempt - 1) * (0.5 + random_int(0, 1000) / 1000));
        fprintf(STDERR, "%s: %s; retrying in %.1f s\n", $path, $problem, $wait);
        usleep((int) ($wait * 1e6));
    }
}

function newToken(): string
{
    $response = send('/auth/token', [], [
        'grant_type' => 'client_credentials',
        'client_id' => getenv('CLIENT_ID'),
        'client_secret' => getenv('CLIENT_SECRET'),
    ]);
    if ($response['status'] !== 200) {
        throw new RuntimeException("No token: {$response['status']} {$response['body']}");
    }
    return json_decode($response['body'], true, 512, JSON_THROW_ON_ERROR)['access_token'];
}

function get(string $path, string $etag): array
{
    global $token;
    for ($renewed = false; ; $renewed = true) {
        $token ??= newToken();
        $headers = ["Authorization: Bearer $token", 'Accept: application/x-ndjson', "If-None-Match: $etag"];
        $response = send($path, $headers);
        if ($response['status'] !== 401 || $renewed) {
            return $response;
        }
        $token = null; // The token is no longer valid: request one new token.
    }
}

function checkVersion(): void
{
    $response = get('/api/version', '');
    if ($response['status'] !== 200 || !preg_match('/"apiVersion":"([^"]*)"/', $response['body'], $found)) {
        throw new RuntimeException("/api/version: {$response['status']} {$response['body']}");
    }
    if ($found[1] !== API_VERSION) {
        $problem = "The service has API profile $found[1], but this script expects " . API_VERSION . '.';
        stop(20, "$problem Read the changelog, then change API_VERSION.");
    }
}

/** Maps each SKU to its line. The key needs the prefix, because PHP turns a key such as "123" into a number. */
function bySku(string $text): array
{
    $lines = [];
    foreach (explode("\n", $text) as $line) {
        if ($line !== '') {
            $lines['SKU ' . json_decode($line, true, 512, JSON_THROW_ON_ERROR)['SKU']] = $line;
        }
    }
    return $lines;
}

/** Applies a response of /changes to the old elements. A complete response replaces all of them. */
function applyChanges(array $old, string $text): array
{
    $lines = explode("\n", rtrim($text, "\n"));
    $first = json_decode(array_shift($lines), true, 512, JSON_THROW_ON_ERROR);
    $now = $first['Complete'] ? [] : $old;
    foreach ($lines as $line) {
        $change = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
        if (isset($change['Changed'])) {
            $now['SKU ' . $change['Changed']['SKU']] = substr($line, strlen('{"Changed":'), -1);
        } elseif (isset($change['Gone'])) {
            unset($now['SKU ' . $change['Gone']]);
        }
    }
    return $now;
}

function sync(string $state, string $name): void
{
    [$file, $tagFile] = ["$state/$name.ndjson", "$state/$name.etag"];
    $before = is_file($file) ? file_get_contents($file) : '';
    $etag = is_file($file) && is_file($tagFile) ? file_get_contents($tagFile) : '';
    $response = get("/$name/changes", $etag);
    $isOlder = $response['status'] === 404; // An older release of the service has only whole responses.
    if ($isOlder) {
        $response = get("/$name", $etag);
    }
    if ($response['status'] === 304) {
        echo "$name: unchanged\n";
        return;
    }
    // A 200 with a different Content-Type comes from a proxy and contains no products.
    if (!isData($response)) {
        $type = $response['headers']['content-type'] ?? 'no type';
        throw new RuntimeException("$name: {$response['status']}, $type: {$response['body']}");
    }

    $old = bySku($before);
    $now = $isOlder ? bySku($response['body']) : applyChanges($old, $response['body']);
    $known = array_intersect_key($now, $old);
    $changed = array_filter($known, fn (string $line, string $sku) => $old[$sku] !== $line, ARRAY_FILTER_USE_BOTH);
    $gone = count($old) - count($known);
    if ($gone > 0 && $gone * 5 >= count($old) && !ALLOW_REMOVALS) {
        $problem = "$name: $gone of " . count($old) . ' elements would disappear, so the stored data was kept.';
        stop(21, "$problem If they are really gone, run the script with --allow-removals.");
    }
    $numbers = [count($now) - count($known), count($changed), $gone, count($now)];
    vprintf("$name: %d new, %d changed, %d gone, %d in all\n", $numbers);

    // This order is safe if the script is killed: the ETag file belongs to the stored data, or does not exist.
    if (is_file($tagFile)) {
        unlink($tagFile);
    }
    file_put_contents("$file.new", implode('', array_map(fn (string $line) => "$line\n", $now)));
    rename("$file.new", $file);
    file_put_contents($tagFile, $response['headers']['etag']);
}

if (!is_dir($state)) {
    mkdir($state, 0700, true);
}
checkVersion();
foreach (['products', 'prices', 'stock'] as $name) {
    sync($state, $name);
}
