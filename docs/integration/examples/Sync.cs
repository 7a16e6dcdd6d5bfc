using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

/// <summary>
/// Nightly sync with .NET 8 or later, without packages. Needs BASE_URL, CLIENT_ID, CLIENT_SECRET; keeps its state in the folder
/// STATE. Elements are kept as the text that came, a line each: numbers stay exact, and equal lines are equal. To look into
/// them use System.Text.Json, with GetDecimal().
/// </summary>
public static class Sync
{
    const int Attempts = 6;
    static readonly string BaseUrl = Environment.GetEnvironmentVariable("BASE_URL");
    static readonly string State = Environment.GetEnvironmentVariable("STATE") ?? "customer-data";
    static readonly Random Chance = new Random();
    static readonly HttpClient Client = new HttpClient(
        new HttpClientHandler { AutomaticDecompression = DecompressionMethods.GZip })
    {
        Timeout = TimeSpan.FromMinutes(15),
    };
    static string token;

    sealed class Answer
    {
        public int Status;
        public string Type;
        public string ETag;
        public string Text;
    }

    /// <summary>Sends until there is an answer that another try would not mend.</summary>
    static async Task<Answer> Send(Func<HttpRequestMessage> request)
    {
        for (int attempt = 1; ; attempt++)
        {
            string problem;
            TimeSpan? wait = null;
            try
            {
                using (HttpResponseMessage response = await Client.SendAsync(request()))
                {
                    // .NET throws where the answer was cut. Mono does not: do not run this on it.
                    string text = await response.Content.ReadAsStringAsync();
                    int status = (int)response.StatusCode;
                    string type = response.Content.Headers.ContentType?.MediaType ?? "no type";
                    string tag = response.Headers.ETag?.ToString();
                    if (status != 429 && status < 500)
                        return new Answer { Status = status, Type = type, ETag = tag, Text = text };
                    problem = "status " + status;
                    wait = response.Headers.RetryAfter?.Delta;
                }
            }
            catch (Exception error) when (error is HttpRequestException || error is IOException || error is TaskCanceledException)
            {
                problem = error.Message;
            }
            if (attempt == Attempts)
                throw new IOException($"Given up after {attempt} attempts, the last one: {problem}");
            // Without a number of seconds: 2, 4, 8 … of them, and a bit by chance, so that not all come back at once.
            TimeSpan pause = wait ?? TimeSpan.FromSeconds(Math.Pow(2, attempt) * (0.5 + Chance.NextDouble()));
            Console.Error.WriteLine($"{problem}; again in {pause.TotalSeconds:F1} s");
            await Task.Delay(pause);
        }
    }

    static async Task<string> NewToken()
    {
        Answer answer = await Send(() => new HttpRequestMessage(HttpMethod.Post, BaseUrl + "/auth/token")
        {
            Content = new FormUrlEncodedContent(new Dictionary<string, string>
            {
                ["grant_type"] = "client_credentials",
                ["client_id"] = Environment.GetEnvironmentVariable("CLIENT_ID"),
                ["client_secret"] = Environment.GetEnvironmentVariable("CLIENT_SECRET"),
            }),
        });
        if (answer.Status != 200) throw new IOException($"No token: {answer.Status} {answer.Text}");
        return Regex.Match(answer.Text, "\"access_token\":\"([^\"]*)\"").Groups[1].Value;
    }

    static async Task<Answer> Get(string path, string etag)
    {
        for (bool renewed = false; ; renewed = true)
        {
            token = token ?? await NewToken();
            Answer answer = await Send(() =>
            {
                var request = new HttpRequestMessage(HttpMethod.Get, BaseUrl + path);
                request.Headers.TryAddWithoutValidation("Authorization", "Bearer " + token);
                request.Headers.TryAddWithoutValidation("Accept", "application/x-ndjson");
                if (etag != "") request.Headers.TryAddWithoutValidation("If-None-Match", etag);
                return request;
            });
            if (answer.Status != 401 || renewed) return answer;
            token = null; // It has expired: a new one, once.
        }
    }

    /// <summary>Lines by SKU, as that is spelt in JSON.</summary>
    static Dictionary<string, string> BySku(string text)
    {
        var sku = new Regex("\"SKU\":(\"(?:[^\"\\\\]|\\\\.)*\")");
        return text.Split('\n').Where(line => line != "").ToDictionary(line => sku.Match(line).Groups[1].Value);
    }

    static async Task SyncOne(string name)
    {
        string file = Path.Combine(State, name + ".ndjson");
        string tagFile = Path.Combine(State, name + ".etag");
        string before = File.Exists(file) ? File.ReadAllText(file) : "";
        string etag = File.Exists(file) && File.Exists(tagFile) ? File.ReadAllText(tagFile) : "";
        Answer answer = await Get("/" + name, etag);
        if (answer.Status == 304)
        {
            Console.WriteLine(name + ": unchanged");
            return;
        }
        // Something in between may answer in good order, and what it says is no product.
        if (answer.Status != 200 || answer.Type != "application/x-ndjson")
            throw new IOException($"{name}: {answer.Status}, {answer.Type}: {answer.Text}");

        Dictionary<string, string> old = BySku(before), now = BySku(answer.Text);
        int known = now.Keys.Count(old.ContainsKey);
        int same = now.Count(line => old.TryGetValue(line.Key, out string was) && was == line.Value);
        Console.WriteLine(
            $"{name}: {now.Count - known} new, {known - same} changed, {old.Count - known} gone, {now.Count} in all");

        // In this order the tag never speaks of another file than the one beside it, whenever this is killed.
        File.Delete(tagFile);
        File.WriteAllText(file + ".new", answer.Text);
        if (File.Exists(file)) File.Replace(file + ".new", file, null);
        else File.Move(file + ".new", file);
        File.WriteAllText(tagFile, answer.ETag);
    }

    static async Task SyncAll()
    {
        Directory.CreateDirectory(State);
        foreach (string name in new[] { "products", "prices", "stock" }) await SyncOne(name);
    }

    public static void Main()
    {
        SyncAll().GetAwaiter().GetResult();
        // Mono would wait for connections that nobody needs any more, half a minute now and then.
        Environment.Exit(0);
    }
}
