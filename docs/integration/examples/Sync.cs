using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

/// <summary>
/// Fetches what has changed, with .NET 8 or later and without packages. Set BASE_URL, CLIENT_ID and CLIENT_SECRET.
/// The folder STATE holds the text of each element as it was received, one on each line. Numbers therefore stay exact,
/// and equal elements are equal lines. To read the lines, use System.Text.Json with GetDecimal().
/// </summary>
public static class Sync
{
    const int Attempts = 6;
    const double Pause = 2; // seconds before the first retry
    const string ApiVersion = "2026-04"; // the API profile that this script expects
    const string NdJson = "application/x-ndjson";
    static readonly Regex Sku = new Regex("\"SKU\":(\"(?:[^\"\\\\]|\\\\.)*\")");
    static readonly string BaseUrl = Environment.GetEnvironmentVariable("BASE_URL");
    static readonly string State = Environment.GetEnvironmentVariable("STATE") ?? "customer-data";
    static readonly RandomNumberGenerator Random = RandomNumberGenerator.Create();
    static readonly HttpClient Client = new HttpClient(
        new HttpClientHandler { AllowAutoRedirect = false, AutomaticDecompression = DecompressionMethods.GZip })
    {
        Timeout = TimeSpan.FromMinutes(15),
    };
    static string token;
    static bool allowRemovals;

    sealed class Received
    {
        public int Status;
        public string Type;
        public string ETag;
        public string Text;
    }

    static void Stop(int code, string problem)
    {
        Console.Error.WriteLine(problem);
        Environment.Exit(code);
    }

    /// <summary>A random number from 0.5 to 1.5. On some systems, two Random objects of one moment are equal.</summary>
    static double Jitter()
    {
        var bytes = new byte[4];
        Random.GetBytes(bytes);
        return 0.5 + (double)BitConverter.ToUInt32(bytes, 0) / uint.MaxValue;
    }

    /// <summary>Sends a request. Retries after 429, 5xx, a connection error or a truncated response.</summary>
    static async Task<Received> Send(Func<HttpRequestMessage> request)
    {
        for (int attempt = 1; ; attempt++)
        {
            string problem;
            TimeSpan? wait = null;
            try
            {
                using (HttpResponseMessage response = await Client.SendAsync(request()))
                {
                    string text = await response.Content.ReadAsStringAsync();
                    int status = (int)response.StatusCode;
                    string type = response.Content.Headers.ContentType?.MediaType ?? "no type";
                    string tag = response.Headers.ETag?.ToString();
                    string path = response.RequestMessage.RequestUri.AbsolutePath;
                    if (status == 200 && type == NdJson && IsTruncated(path, response, text))
                        throw new IOException("truncated");
                    if (status != 429 && status < 500)
                        return new Received { Status = status, Type = type, ETag = tag, Text = text };
                    problem = "status " + status;
                    wait = response.Headers.RetryAfter?.Delta;
                }
            }
            catch (Exception error) when (error is HttpRequestException || error is IOException || error is TaskCanceledException)
            {
                problem = error.Message;
            }
            if (attempt == Attempts)
                throw new IOException($"Gave up after {attempt} attempts: {problem}");
            // Without Retry-After, wait about 2, 4, 8 … seconds. The random part spreads the retries of many clients.
            TimeSpan pause = wait ?? TimeSpan.FromSeconds(Pause * Math.Pow(2, attempt - 1) * Jitter());
            Console.Error.WriteLine($"{problem}; retrying in {pause.TotalSeconds:F1} s");
            await Task.Delay(pause);
        }
    }

    /// <summary>True if the end of the response is missing. Mono itself reports no truncation.</summary>
    static bool IsTruncated(string path, HttpResponseMessage response, string text)
    {
        if (path.EndsWith("/changes", StringComparison.Ordinal)) return !text.EndsWith("\n{\"End\":true}\n", StringComparison.Ordinal);
        bool named = response.Headers.TryGetValues("X-Last-SKU", out IEnumerable<string> last);
        if (!named || !text.EndsWith("\n", StringComparison.Ordinal)) return named || text != "";
        return SkuOf(text.TrimEnd('\n').Split('\n').Last()) != Quoted(Uri.UnescapeDataString(last.First()));
    }

    /// <summary>The SKU of a line in its JSON spelling: in quotes, with quotes and backslashes escaped.</summary>
    static string SkuOf(string line) => Sku.Match(line).Groups[1].Value;

    static string Quoted(string sku) => '"' + sku.Replace("\\", "\\\\").Replace("\"", "\\\"") + '"';

    static async Task<string> NewToken()
    {
        Received received = await Send(() => new HttpRequestMessage(HttpMethod.Post, BaseUrl + "/auth/token")
        {
            Content = new FormUrlEncodedContent(new Dictionary<string, string>
            {
                ["grant_type"] = "client_credentials",
                ["client_id"] = Environment.GetEnvironmentVariable("CLIENT_ID"),
                ["client_secret"] = Environment.GetEnvironmentVariable("CLIENT_SECRET"),
            }),
        });
        if (received.Status != 200) throw new IOException($"No token: {received.Status} {received.Text}");
        return Regex.Match(received.Text, "\"access_token\":\"([^\"]*)\"").Groups[1].Value;
    }

    static async Task<Received> Get(string path, string etag)
    {
        for (bool renewed = false; ; renewed = true)
        {
            token = token ?? await NewToken();
            Received received = await Send(() =>
            {
                var request = new HttpRequestMessage(HttpMethod.Get, BaseUrl + path);
                request.Headers.TryAddWithoutValidation("Authorization", "Bearer " + token);
                request.Headers.TryAddWithoutValidation("Accept", NdJson);
                if (etag != "") request.Headers.TryAddWithoutValidation("If-None-Match", etag);
                return request;
            });
            if (received.Status != 401 || renewed) return received;
            token = null; // The token is no longer valid: request one new token.
        }
    }

    static async Task CheckVersion()
    {
        Received received = await Get("/api/version", "");
        Match match = Regex.Match(received.Text, "\"apiVersion\":\"([^\"]*)\"");
        if (received.Status != 200 || !match.Success) throw new IOException($"/api/version: {received.Status} {received.Text}");
        string found = match.Groups[1].Value;
        if (found == ApiVersion) return;
        string problem = $"The service has API profile {found}, but this script expects {ApiVersion}.";
        Stop(20, problem + " Read the changelog, then change ApiVersion.");
    }

    /// <summary>Maps each SKU to its line.</summary>
    static Dictionary<string, string> BySku(string text) =>
        text.Split('\n').Where(line => line != "").ToDictionary(SkuOf);

    /// <summary>Applies a response of /changes to the old elements. A complete response replaces all of them.</summary>
    static Dictionary<string, string> ApplyChanges(Dictionary<string, string> old, string text)
    {
        string[] lines = text.TrimEnd('\n').Split('\n');
        var now = new Dictionary<string, string>();
        if (!lines[0].Contains("\"Complete\":true")) now = new Dictionary<string, string>(old);
        foreach (string line in lines)
        {
            int start = line.IndexOf(':') + 1;
            string value = line.Substring(start, line.Length - start - 1);
            if (line.StartsWith("{\"Changed\":", StringComparison.Ordinal)) now[SkuOf(value)] = value;
            if (line.StartsWith("{\"Gone\":", StringComparison.Ordinal)) now.Remove(value);
        }
        return now;
    }

    static async Task SyncOne(string name)
    {
        string file = Path.Combine(State, name + ".ndjson");
        string tagFile = Path.Combine(State, name + ".etag");
        string before = File.Exists(file) ? File.ReadAllText(file) : "";
        string etag = File.Exists(file) && File.Exists(tagFile) ? File.ReadAllText(tagFile) : "";
        Received received = await Get($"/{name}/changes", etag);
        bool isOlder = received.Status == 404; // An older release of the service has only whole responses.
        if (isOlder) received = await Get("/" + name, etag);
        if (received.Status == 304)
        {
            Console.WriteLine(name + ": unchanged");
            return;
        }
        // A 200 with a different Content-Type comes from a proxy and contains no products.
        if (received.Status != 200 || received.Type != NdJson)
            throw new IOException($"{name}: {received.Status}, {received.Type}: {received.Text}");

        Dictionary<string, string> old = BySku(before);
        Dictionary<string, string> now = isOlder ? BySku(received.Text) : ApplyChanges(old, received.Text);
        int known = now.Keys.Count(old.ContainsKey);
        int gone = old.Count - known;
        if (gone > 0 && gone * 5 >= old.Count && !allowRemovals)
        {
            string removals = $"{name}: {gone} of {old.Count} elements would disappear, so the stored data was kept.";
            Stop(21, removals + " If they are really gone, run the script with --allow-removals.");
        }
        int same = now.Count(line => old.TryGetValue(line.Key, out string was) && was == line.Value);
        Console.WriteLine(
            $"{name}: {now.Count - known} new, {known - same} changed, {gone} gone, {now.Count} in all");

        // This order is safe if the script is killed: the ETag file belongs to the stored data, or does not exist.
        File.Delete(tagFile);
        File.WriteAllText(file + ".new", string.Concat(now.Values.Select(line => line + "\n")));
        if (File.Exists(file)) File.Replace(file + ".new", file, null);
        else File.Move(file + ".new", file);
        File.WriteAllText(tagFile, received.ETag);
    }

    static async Task SyncAll()
    {
        Directory.CreateDirectory(State);
        await CheckVersion();
        foreach (string name in new[] { "products", "prices", "stock" }) await SyncOne(name);
    }

    public static void Main(string[] arguments)
    {
        allowRemovals = arguments.Contains("--allow-removals");
        SyncAll().GetAwaiter().GetResult();
        // Mono sometimes waits half a minute for idle connections before it exits.
        Environment.Exit(0);
    }
}
