import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

/**
 * Fetches what has changed, with Java 17 or later and without libraries. Set BASE_URL, CLIENT_ID and CLIENT_SECRET.
 * The folder STATE holds the text of each element as it was received, one on each line. Numbers therefore stay exact,
 * and equal elements are equal lines. To read the lines, use a JSON library that reads decimals as BigDecimal.
 */
public class Sync {
  static final String BASE_URL = System.getenv("BASE_URL");
  static final Path STATE = Path.of(System.getenv().getOrDefault("STATE", "customer-data"));
  static final int ATTEMPTS = 6;
  static final double PAUSE = 2; // seconds before the first retry
  static final String API_VERSION = "2026-04"; // the API profile that this script expects
  static final SecureRandom RANDOM = new SecureRandom();
  static final HttpClient CLIENT =
      HttpClient.newBuilder()
          .connectTimeout(Duration.ofSeconds(30))
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();
  static final String NDJSON = "application/x-ndjson";
  static final Pattern SKU = Pattern.compile("\"SKU\":(\"(?:[^\"\\\\]|\\\\.)*\")");
  static String token;
  static boolean allowRemovals;

  static void stop(int code, String problem) {
    System.err.println(problem);
    System.exit(code);
  }

  record Received(int status, String type, String etag, String text) {}

  static Received once(HttpRequest request, long[] wait) throws IOException, InterruptedException {
    HttpResponse<byte[]> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofByteArray());
    String seconds = response.headers().firstValue("Retry-After").orElse("");
    wait[0] = seconds.matches("\\d{1,6}") ? Long.parseLong(seconds) * 1000 : 0;
    String type = response.headers().firstValue("Content-Type").orElse("no type");
    boolean compressed = response.headers().firstValue("Content-Encoding").orElse("").equals("gzip");
    InputStream bytes = new ByteArrayInputStream(response.body());
    String text = new String((compressed ? new GZIPInputStream(bytes) : bytes).readAllBytes(), StandardCharsets.UTF_8);
    if (response.statusCode() == 200 && type.startsWith(NDJSON) && isTruncated(request.uri().getPath(), response.headers(), text))
      throw new IOException("truncated");
    return new Received(response.statusCode(), type, response.headers().firstValue("ETag").orElse(""), text);
  }

  /** True if the end of the response is missing. Not every library reports a truncation. */
  static boolean isTruncated(String path, HttpHeaders headers, String text) {
    if (path.endsWith("/changes")) return !text.endsWith("\n{\"End\":true}\n");
    String last = headers.firstValue("X-Last-SKU").orElse(null);
    if (last == null || !text.endsWith("\n")) return last != null || !text.isEmpty();
    String[] lines = text.split("\n");
    return !skuOf(lines[lines.length - 1]).equals(quoted(URLDecoder.decode(last, StandardCharsets.UTF_8)));
  }

  /** The SKU of a line in its JSON spelling: in quotes, with quotes and backslashes escaped. */
  static String skuOf(String line) {
    Matcher matcher = SKU.matcher(line);
    return matcher.find() ? matcher.group(1) : "";
  }

  static String quoted(String sku) {
    return '"' + sku.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** Sends a request. Retries after 429, 5xx, a connection error or a truncated response. */
  static Received send(HttpRequest.Builder builder) throws Exception {
    HttpRequest request = builder.header("Accept-Encoding", "gzip").timeout(Duration.ofMinutes(15)).build();
    for (int attempt = 1; ; attempt++) {
      long[] wait = {0};
      String problem;
      try {
        Received received = once(request, wait);
        if (received.status != 429 && received.status < 500) return received;
        problem = "status " + received.status;
      } catch (IOException error) {
        problem = error.toString();
      }
      if (attempt == ATTEMPTS) throw new IOException("Gave up after " + attempt + " attempts: " + problem);
      // Without Retry-After, wait about 2, 4, 8 … seconds. The random part spreads the retries of many clients.
      if (wait[0] == 0) wait[0] = (long) (1000 * PAUSE * Math.pow(2, attempt - 1) * (0.5 + RANDOM.nextDouble()));
      System.err.printf("%s: %s; retrying in %.1f s%n", request.uri().getPath(), problem, wait[0] / 1000.0);
      Thread.sleep(wait[0]);
    }
  }

  static String newToken() throws Exception {
    String form = "grant_type=client_credentials";
    for (String[] field : new String[][] {{"client_id", "CLIENT_ID"}, {"client_secret", "CLIENT_SECRET"}})
      form += "&" + field[0] + "=" + URLEncoder.encode(System.getenv(field[1]), StandardCharsets.UTF_8);
    Received received =
        send(
            HttpRequest.newBuilder(URI.create(BASE_URL + "/auth/token"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form)));
    Matcher matcher = Pattern.compile("\"access_token\":\"([^\"]*)\"").matcher(received.text);
    if (!matcher.find()) throw new IOException("No token: " + received.status + " " + received.text);
    return matcher.group(1);
  }

  static Received get(String path, String etag) throws Exception {
    for (boolean renewed = false; ; renewed = true) {
      if (token == null) token = newToken();
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(BASE_URL + path))
              .header("Authorization", "Bearer " + token)
              .header("Accept", NDJSON);
      if (!etag.isEmpty()) request.header("If-None-Match", etag);
      Received received = send(request);
      if (received.status != 401 || renewed) return received;
      token = null; // The token is no longer valid: request one new token.
    }
  }

  static void checkVersion() throws Exception {
    Received received = get("/api/version", "");
    Matcher matcher = Pattern.compile("\"apiVersion\":\"([^\"]*)\"").matcher(received.text);
    if (received.status != 200 || !matcher.find())
      throw new IOException("/api/version: " + received.status + " " + received.text);
    String found = matcher.group(1);
    if (found.equals(API_VERSION)) return;
    String problem = "The service has API profile " + found + ", but this script expects " + API_VERSION + ".";
    stop(20, problem + " Read the changelog, then change API_VERSION.");
  }

  /** Maps each SKU to its line. */
  static Map<String, String> bySku(String text) {
    Map<String, String> lines = new LinkedHashMap<>();
    for (String line : text.split("\n")) if (!line.isEmpty()) lines.put(skuOf(line), line);
    return lines;
  }

  /** Applies a response of /changes to the old elements. A complete response replaces all of them. */
  static Map<String, String> applyChanges(Map<String, String> old, String text) {
    String[] lines = text.split("\n");
    Map<String, String> now = new LinkedHashMap<>();
    if (!lines[0].contains("\"Complete\":true")) now.putAll(old);
    for (String line : lines) {
      String value = line.substring(line.indexOf(':') + 1, line.length() - 1);
      if (line.startsWith("{\"Changed\":")) now.put(skuOf(value), value);
      if (line.startsWith("{\"Gone\":")) now.remove(value);
    }
    return now;
  }

  static void sync(String name) throws Exception {
    Path file = STATE.resolve(name + ".ndjson");
    Path tagFile = STATE.resolve(name + ".etag");
    String before = Files.exists(file) ? Files.readString(file) : "";
    String etag = Files.exists(file) && Files.exists(tagFile) ? Files.readString(tagFile) : "";
    Received received = get("/" + name + "/changes", etag);
    boolean isOlder = received.status == 404; // An older release of the service has only whole responses.
    if (isOlder) received = get("/" + name, etag);
    if (received.status == 304) {
      System.out.println(name + ": unchanged");
      return;
    }
    // A 200 with a different Content-Type comes from a proxy and contains no products.
    if (received.status != 200 || !received.type.startsWith(NDJSON))
      throw new IOException(name + ": " + received.status + ", " + received.type + ": " + received.text);

    Map<String, String> old = bySku(before);
    Map<String, String> now = isOlder ? bySku(received.text) : applyChanges(old, received.text);
    long known = now.keySet().stream().filter(old::containsKey).count();
    long gone = old.size() - known;
    if (gone > 0 && gone * 5 >= old.size() && !allowRemovals) {
      String removals = name + ": " + gone + " of " + old.size() + " elements would disappear";
      String remedy = "If they are really gone, run the script with --allow-removals.";
      stop(21, removals + ", so the stored data was kept. " + remedy);
    }
    long same = now.entrySet().stream().filter(line -> line.getValue().equals(old.get(line.getKey()))).count();
    System.out.printf(
        "%s: %d new, %d changed, %d gone, %d in all%n",
        name, now.size() - known, known - same, gone, now.size());

    // This order is safe if the script is killed: the ETag file belongs to the stored data, or does not exist.
    Files.deleteIfExists(tagFile);
    String lines = now.values().stream().map(line -> line + "\n").collect(Collectors.joining());
    Path fresh = Files.writeString(STATE.resolve(name + ".new"), lines);
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    Files.writeString(tagFile, received.etag);
  }

  public static void main(String[] arguments) throws Exception {
    allowRemovals = Arrays.asList(arguments).contains("--allow-removals");
    Files.createDirectories(STATE);
    checkVersion();
    for (String name : new String[] {"products", "prices", "stock"}) sync(name);
  }
}
