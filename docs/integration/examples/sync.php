<?php
// Nightly sync with PHP 8 and its extension curl: php sync.php. Needs BASE_URL, CLIENT_ID, CLIENT_SECRET; keeps its state in
// the folder STATE. Elements are kept as the text that came, a line each: numbers stay exact, and equal lines are equal.
declare(strict_types=1);

const ATTEMPTS = 6;
$state = getenv('STATE') ?: 'customer-data';
$token = null;

/** Sends once. Returns status, headers (by names in lower case) and body, or what broke the connection. */
function once(string $path, array $headers, ?array $form): array
{
    $answered = [];
    $curl = curl_init(getenv('BASE_URL') . $path);
    curl_setopt_array($curl, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_ENCODING => 'gzip',
        CURLOPT_TIMEOUT => 900,
        CURLOPT_HTTPHEADER => $headers,
        CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$answered): int {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $answered[strtolower($name)] = trim($value);
            return strlen($line);
        },
    ]);
    if ($form) {
        curl_setopt($curl, CURLOPT_POSTFIELDS, http_build_query($form));
    }
    $body = curl_exec($curl); // false where the answer was cut
    if ($body === false) {
        return ['problem' => curl_error($curl)];
    }
    return ['status' => curl_getinfo($curl, CURLINFO_RESPONSE_CODE), 'headers' => $answered, 'body' => $body];
}

/** Sends until there is an answer that another try would not mend. */
function send(string $path, array $headers = [], ?array $form = null): array
{
    for ($attempt = 1; ; $attempt++) {
        $answer = once($path, $headers, $form);
        $problem = $answer['problem'] ?? 'status ' . $answer['status'];
        if (isset($answer['status']) && $answer['status'] !== 429 && $answer['status'] < 500) {
            return $answer;
        }
        if ($attempt === ATTEMPTS) {
            throw new RuntimeException("$path: given up after $attempt attempts, the last one: $problem");
        }
        // Without a number of seconds: 2, 4, 8 … of them, and a bit by chance, so that not all come back at once.
        $told = $answer['headers']['retry-after'] ?? '';
        $wait = (float) (ctype_digit($told) ? $told : 2 ** $attempt * (0.5 + mt_rand() / mt_getrandmax()));
        fprintf(STDERR, "%s: %s; again in %.1f s\n", $path, $problem, $wait);
        usleep((int) ($wait * 1e6));
    }
}

function newToken(): string
{
    $answer = send('/auth/token', [], [
        'grant_type' => 'client_credentials',
        'client_id' => getenv('CLIENT_ID'),
        'client_secret' => getenv('CLIENT_SECRET'),
    ]);
    if ($answer['status'] !== 200) {
        throw new RuntimeException("No token: {$answer['status']} {$answer['body']}");
    }
    return json_decode($answer['body'], true, 512, JSON_THROW_ON_ERROR)['access_token'];
}

function get(string $path, string $etag): array
{
    global $token;
    for ($renewed = false; ; $renewed = true) {
        $token ??= newToken();
        $headers = ["Authorization: Bearer $token", 'Accept: application/x-ndjson', "If-None-Match: $etag"];
        $answer = send($path, $headers);
        if ($answer['status'] !== 401 || $renewed) {
            return $answer;
        }
        $token = null; // It has expired: a new one, once.
    }
}

/** Lines by SKU. */
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

function sync(string $state, string $name): void
{
    [$file, $tagFile] = ["$state/$name.ndjson", "$state/$name.etag"];
    $before = is_file($file) ? file_get_contents($file) : '';
    $etag = is_file($file) && is_file($tagFile) ? file_get_contents($tagFile) : '';
    $answer = get("/$name", $etag);
    if ($answer['status'] === 304) {
        echo "$name: unchanged\n";
        return;
    }
    // Something in between may answer in good order, and what it says is no product.
    $type = $answer['headers']['content-type'] ?? 'no type';
    if ($answer['status'] !== 200 || !str_starts_with($type, 'application/x-ndjson')) {
        throw new RuntimeException("$name: {$answer['status']}, $type: {$answer['body']}");
    }

    [$old, $now] = [bySku($before), bySku($answer['body'])];
    $known = array_intersect_key($now, $old);
    $changed = array_filter($known, fn (string $line, string $sku) => $old[$sku] !== $line, ARRAY_FILTER_USE_BOTH);
    $numbers = [count($now) - count($known), count($changed), count($old) - count($known), count($now)];
    vprintf("$name: %d new, %d changed, %d gone, %d in all\n", $numbers);

    // In this order the tag never speaks of another file than the one beside it, whenever this is killed.
    if (is_file($tagFile)) {
        unlink($tagFile);
    }
    file_put_contents("$file.new", $answer['body']);
    rename("$file.new", $file);
    file_put_contents($tagFile, $answer['headers']['etag']);
}

if (!is_dir($state)) {
    mkdir($state, 0700, true);
}
foreach (['products', 'prices', 'stock'] as $name) {
    sync($state, $name);
}
