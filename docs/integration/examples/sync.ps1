# Fetches what has changed, with PowerShell 7.4 or later and without modules. Set BASE_URL, CLIENT_ID and CLIENT_SECRET.
# The folder STATE holds the text of each element as it was received, one on each line. Numbers therefore stay exact,
# and equal elements are equal lines. To read a price, use [System.Text.Json.JsonDocument] with GetDecimal().
using namespace System.Collections.Generic
using namespace System.Net.Http

Set-StrictMode -Version 3.0
$ErrorActionPreference = 'Stop'

$Attempts = 6
$Pause = 2 # seconds before the first retry
$ApiVersion = '2026-04' # the API profile that this script expects
$AllowRemovals = $args -contains '--allow-removals'
$BaseUrl = $env:BASE_URL
$NdJson = 'application/x-ndjson'
$Ordinal = [StringComparison]::Ordinal
$SkuPattern = [regex]::new('"SKU":("(?:[^"\\]|\\.)*")')
$Token = ''

# .NET does not know the current folder of PowerShell.
$State = if ($env:STATE) { $env:STATE } else { 'customer-data' }
$State = [System.IO.Path]::GetFullPath($State, $PWD.ProviderPath)

$Handler = [SocketsHttpHandler]::new()
$Handler.AllowAutoRedirect = $false
$Handler.AutomaticDecompression = [System.Net.DecompressionMethods]::GZip
$Handler.ConnectTimeout = [TimeSpan]::FromSeconds(30)
$Client = [HttpClient]::new($Handler)
$Client.Timeout = [TimeSpan]::FromMinutes(15)

function Stop-Script([int] $Code, [string] $Problem) {
    [Console]::Error.WriteLine($Problem)
    exit $Code
}

# The value of a header, or $null. The name is not case-sensitive.
function Get-Header($Response, [string] $Name) {
    foreach ($group in $Response.Headers, $Response.Content.Headers) {
        foreach ($header in $group) {
            if ($header.Key -eq $Name) { return $header.Value -join ', ' }
        }
    }
    return $null
}

# Sends a request once. Throws if there is no response, or if the response is truncated.
function Send-Once([string] $Method, [string] $Path, [hashtable] $Headers, $Form) {
    $request = [HttpRequestMessage]::new([HttpMethod]::new($Method), $BaseUrl + $Path)
    foreach ($name in $Headers.Keys) {
        [void] $request.Headers.TryAddWithoutValidation($name, [string] $Headers[$name])
    }
    if ($null -ne $Form) { $request.Content = [FormUrlEncodedContent]::new($Form) }
    $response = $Client.SendAsync($request).GetAwaiter().GetResult()
    $received = [pscustomobject] @{
        Status = [int] $response.StatusCode
        Type = [string] (Get-Header $response 'Content-Type')
        ETag = [string] (Get-Header $response 'ETag')
        RetryAfter = [string] (Get-Header $response 'Retry-After')
        LastSku = Get-Header $response 'X-Last-SKU'
        Text = $response.Content.ReadAsStringAsync().GetAwaiter().GetResult()
    }
    if ((Test-Data $received) -and (Test-Truncated $Path $received)) { throw 'truncated' }
    return $received
}

function Test-Data($Received) {
    return $Received.Status -eq 200 -and $Received.Type.StartsWith($NdJson, $Ordinal)
}

# True if the end of the response is missing. Not every library reports a truncation.
function Test-Truncated([string] $Path, $Received) {
    $text = $Received.Text
    if ($Path.EndsWith('/changes', $Ordinal)) { return -not $text.EndsWith("`n{`"End`":true}`n", $Ordinal) }
    $isNamed = $null -ne $Received.LastSku
    if (-not $isNamed -or -not $text.EndsWith("`n", $Ordinal)) { return $isNamed -or $text.Length -gt 0 }
    $lines = Split-Lines $text
    $last = [Uri]::UnescapeDataString($Received.LastSku)
    # The JSON of a SKU escapes only quotes and backslashes.
    $quoted = '"' + $last.Replace('\', '\\').Replace('"', '\"') + '"'
    return -not [string]::Equals((Get-Sku $lines[-1]), $quoted, $Ordinal)
}

# Always returns an array. PowerShell would otherwise unwrap an array of one line.
function Split-Lines([string] $Text) {
    return , $Text.TrimEnd([char] 10).Split([char] 10, [StringSplitOptions]::RemoveEmptyEntries)
}

# The SKU of a line in its JSON spelling: in quotes, with quotes and backslashes escaped.
function Get-Sku([string] $Line) {
    $match = $SkuPattern.Match($Line)
    if (-not $match.Success) { throw "A line has no SKU: $Line" }
    return $match.Groups[1].Value
}

# Sends a request. Retries after 429, 5xx, a connection error or a truncated response.
function Send-Request([string] $Method, [string] $Path, [hashtable] $Headers, $Form) {
    for ($attempt = 1; $attempt -le $Attempts; $attempt++) {
        $retryAfter = ''
        try {
            $received = Send-Once $Method $Path $Headers $Form
            if ($received.Status -ne 429 -and $received.Status -lt 500) { return $received }
            $problem = "status $($received.Status)"
            $retryAfter = $received.RetryAfter
        } catch {
            $problem = $_.Exception.GetBaseException().Message
        }
        if ($attempt -eq $Attempts) { Stop-Script 1 "${Path}: gave up after $attempt attempts: $problem" }
        # Without Retry-After, wait about 2, 4, 8 seconds and so on. The random part spreads the retries of many clients.
        $random = [System.Security.Cryptography.RandomNumberGenerator]::GetInt32(1000) / 1000
        $wait = $Pause * [Math]::Pow(2, $attempt - 1) * (0.5 + $random)
        if ($retryAfter -match '^[0-9]{1,6}$') { $wait = [double] $retryAfter }
        [Console]::Error.WriteLine("${Path}: $problem; retrying in $([Math]::Round($wait, 1)) s")
        Start-Sleep -Milliseconds ([int] (1000 * $wait))
    }
}

function New-Token {
    $form = [Dictionary[string, string]]::new()
    $form['grant_type'] = 'client_credentials'
    $form['client_id'] = $env:CLIENT_ID
    $form['client_secret'] = $env:CLIENT_SECRET
    $received = Send-Request 'POST' '/auth/token' @{} $form
    $match = [regex]::Match($received.Text, '"access_token":"([^"]*)"')
    if ($received.Status -ne 200 -or -not $match.Success) {
        Stop-Script 1 "No token: $($received.Status) $($received.Text)"
    }
    return $match.Groups[1].Value
}

function Get-Response([string] $Path, [string] $ETag) {
    foreach ($try in 1, 2) {
        if (-not $script:Token) { $script:Token = New-Token }
        $headers = @{ Authorization = "Bearer $($script:Token)"; Accept = $NdJson }
        if ($ETag) { $headers['If-None-Match'] = $ETag }
        $received = Send-Request 'GET' $Path $headers $null
        if ($received.Status -ne 401) { break }
        $script:Token = '' # The token is no longer valid: request one new token.
    }
    return $received
}

function Test-Version {
    $received = Get-Response '/api/version' ''
    $match = [regex]::Match($received.Text, '"apiVersion":"([^"]*)"')
    if ($received.Status -ne 200 -or -not $match.Success) {
        Stop-Script 1 "/api/version: $($received.Status) $($received.Text)"
    }
    $found = $match.Groups[1].Value
    if ([string]::Equals($found, $ApiVersion, $Ordinal)) { return }
    $problem = "The service has API profile $found, but this script expects $ApiVersion."
    Stop-Script 20 "$problem Read the changelog, then change `$ApiVersion."
}

# Maps each SKU to its line. @{} would ignore the case of a SKU. The quotes around each key matter: $map.Count would
# otherwise be the line of a product with the SKU Count.
function Get-BySku([string] $Text) {
    $lines = [Dictionary[string, string]]::new([StringComparer]::Ordinal)
    foreach ($line in (Split-Lines $Text)) { $lines[(Get-Sku $line)] = $line }
    return $lines
}

# Applies a response of /changes to the old elements. A complete response replaces all of them.
function Get-Applied($Old, [string] $Text) {
    $lines = Split-Lines $Text
    $now = [Dictionary[string, string]]::new([StringComparer]::Ordinal)
    if (-not $lines[0].Contains('"Complete":true', $Ordinal)) {
        foreach ($sku in $Old.Keys) { $now[$sku] = $Old[$sku] }
    }
    foreach ($line in $lines) {
        $start = $line.IndexOf(':', $Ordinal) + 1
        $value = $line.Substring($start, $line.Length - $start - 1)
        if ($line.StartsWith('{"Changed":', $Ordinal)) { $now[(Get-Sku $value)] = $value }
        if ($line.StartsWith('{"Gone":', $Ordinal)) { [void] $now.Remove($value) }
    }
    return $now
}

function Read-File([string] $Path) {
    if ([System.IO.File]::Exists($Path)) { return [System.IO.File]::ReadAllText($Path) }
    return ''
}

function Sync-Endpoint([string] $Name) {
    $file = [System.IO.Path]::Combine($State, "$Name.ndjson")
    $tagFile = [System.IO.Path]::Combine($State, "$Name.etag")
    $etag = if ([System.IO.File]::Exists($file)) { Read-File $tagFile } else { '' }
    $received = Get-Response "/$Name/changes" $etag
    $isOlder = $received.Status -eq 404 # An older release of the service has only whole responses.
    if ($isOlder) { $received = Get-Response "/$Name" $etag }
    if ($received.Status -eq 304) {
        [Console]::WriteLine("${Name}: unchanged")
        return
    }
    # A 200 with a different Content-Type comes from a proxy and contains no products.
    if (-not (Test-Data $received)) {
        Stop-Script 1 "${Name}: $($received.Status), $($received.Type): $($received.Text)"
    }

    $old = Get-BySku (Read-File $file)
    $now = if ($isOlder) { Get-BySku $received.Text } else { Get-Applied $old $received.Text }
    $known = 0
    $same = 0
    foreach ($sku in $now.Keys) {
        if (-not $old.ContainsKey($sku)) { continue }
        $known++
        if ([string]::Equals($old[$sku], $now[$sku], $Ordinal)) { $same++ }
    }
    $gone = $old.Count - $known
    if ($gone -gt 0 -and $gone * 5 -ge $old.Count -and -not $AllowRemovals) {
        $problem = "${Name}: $gone of $($old.Count) elements would disappear, so the stored data was kept."
        Stop-Script 21 "$problem If they are really gone, run the script with --allow-removals."
    }
    $counts = "$($now.Count - $known) new, $($known - $same) changed, $gone gone, $($now.Count) in all"
    [Console]::WriteLine("${Name}: $counts")

    # This order is safe if the script is killed: the ETag file belongs to the stored data, or does not exist.
    [System.IO.File]::Delete($tagFile)
    $text = [System.Text.StringBuilder]::new()
    foreach ($line in $now.Values) { [void] $text.Append($line).Append([char] 10) }
    [System.IO.File]::WriteAllText("$file.new", $text.ToString())
    [System.IO.File]::Move("$file.new", $file, $true)
    [System.IO.File]::WriteAllText($tagFile, $received.ETag)
}

foreach ($variable in 'BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET') {
    if (-not [Environment]::GetEnvironmentVariable($variable)) { Stop-Script 1 "Set $variable." }
}
[void] [System.IO.Directory]::CreateDirectory($State)
Test-Version
foreach ($endpoint in 'products', 'prices', 'stock') { Sync-Endpoint $endpoint }
