import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/**
 * Nightly sync with Java 17 or later, without libraries: {@code java Sync.java}. Needs BASE_URL, CLIENT_ID, CLIENT_SECRET;
 * keeps its state in the folder STATE. Elements are kept as the text that came, a line each: numbers stay exact, and equal
 * lines are equal. To look into them use your JSON library, with decimals as BigDecimal.
 */
public class Sync {
  static final String BASE_URL = System.getenv("BASE_URL");
  static final Path STATE = Path.of(System.getenv().getOrDefault("STATE", "customer-data"));
  static final int ATTEMPTS = 6;
  static final HttpClient CLIENT = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(30)).build();
  static String token;

  record Answer(int status, String type, String etag, String text) {}

  static Answer once(HttpRequest request, long[] wait) throws IOException, InterruptedException {
    HttpResponse<byte[]> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofByteArray()); // throws where it was cut
    String seconds = response.headers().firstValue("Retry-After").orElse("");
    wait[0] = seconds.matches("\\d{1,6}") ? Long.parseLong(seconds) * 1000 : 0;
    String type = response.headers().firstValue("Content-Type").orElse("no type");
    boolean packed = response.headers().firstValue("Content-Encoding").orElse("").equals("gzip");
    InputStream bytes = new ByteArrayInputStream(response.body());
    String text = new String((packed ? new GZIPInputStream(bytes) : bytes).readAllBytes(), StandardCharsets.UTF_8);
    return new Answer(response.statusCode(), type, response.headers().firstValue("ETag").orElse(""), text);
  }

  /** Sends until there is an answer that another try would not mend. */
  static Answer send(HttpRequest.Builder builder) throws Exception {
    HttpRequest request = builder.header("Accept-Encoding", "gzip").timeout(Duration.ofMinutes(15)).build();
    for (int attempt = 1; ; attempt++) {
      long[] wait = {0};
      String problem;
      try {
        Answer answer = once(request, wait);
        if (answer.status != 429 && answer.status < 500) return answer;
        problem = "status " + answer.status;
      } catch (IOException error) {
        problem = error.toString();
      }
      if (attempt == ATTEMPTS) throw new IOException("Given up after " + attempt + " attempts, the last one: " + problem);
      // Without a number of seconds: 2, 4, 8 … of them, and a bit by chance, so that not all come back at once.
      if (wait[0] == 0) wait[0] = (long) (1000 * Math.pow(2, attempt) * (0.5 + Math.random()));
      System.err.printf("%s: %s; again in %.1f s%n", request.uri().getPath(), problem, wait[0] / 1000.0);
      Thread.sleep(wait[0]);
    }
  }

  static String newToken() throws Exception {
    String form = "grant_type=client_credentials";
    for (String[] field : new String[][] {{"client_id", "CLIENT_ID"}, {"client_secret", "CLIENT_SECRET"}})
      form += "&" + field[0] + "=" + URLEncoder.encode(System.getenv(field[1]), StandardCharsets.UTF_8);
    Answer answer =
        send(
            HttpRequest.newBuilder(URI.create(BASE_URL + "/auth/token"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form)));
    Matcher matcher = Pattern.compile("\"access_token\":\"([^\"]*)\"").matcher(answer.text);
    if (!matcher.find()) throw new IOException("No token: " + answer.status + " " + answer.text);
    return matcher.group(1);
  }

  static Answer get(String path, String etag) throws Exception {
    for (boolean renewed = false; ; renewed = true) {
      if (token == null) token = newToken();
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(BASE_URL + path))
              .header("Authorization", "Bearer " + token)
              .header("Accept", "application/x-ndjson");
      if (!etag.isEmpty()) request.header("If-None-Match", etag);
      Answer answer = send(request);
      if (answer.status != 401 || renewed) return answer;
      token = null; // It has expired: a new one, once.
    }
  }

  /** Lines by SKU, as that is spelt in JSON. */
  static Map<String, String> bySku(String text) {
    Pattern sku = Pattern.compile("\"SKU\":(\"(?:[^\"\\\\]|\\\\.)*\")");
    Map<String, String> lines = new HashMap<>();
    for (String line : text.split("\n")) {
      Matcher matcher = sku.matcher(line);
      if (matcher.find()) lines.put(matcher.group(1), line);
    }
    return lines;
  }

  static void sync(String name) throws Exception {
    Path file = STATE.resolve(name + ".ndjson");
    Path tagFile = STATE.resolve(name + ".etag");
    String before = Files.exists(file) ? Files.readString(file) : "";
    String etag = Files.exists(file) && Files.exists(tagFile) ? Files.readString(tagFile) : "";
    Answer answer = get("/" + name, etag);
    if (answer.status == 304) {
      System.out.println(name + ": unchanged");
      return;
    }
    // Something in between may answer in good order, and what it says is no product.
    if (answer.status != 200 || !answer.type.startsWith("application/x-ndjson"))
      throw new IOException(name + ": " + answer.status + ", " + answer.type + ": " + answer.text);

    Map<String, String> old = bySku(before);
    Map<String, String> now = bySku(answer.text);
    long known = now.keySet().stream().filter(old::containsKey).count();
    long same = now.entrySet().stream().filter(line -> line.getValue().equals(old.get(line.getKey()))).count();
    System.out.printf(
        "%s: %d new, %d changed, %d gone, %d in all%n",
        name, now.size() - known, known - same, old.size() - known, now.size());

    // In this order the tag never speaks of another file than the one beside it, whenever this is killed.
    Files.deleteIfExists(tagFile);
    Path fresh = Files.writeString(STATE.resolve(name + ".new"), answer.text);
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    Files.writeString(tagFile, answer.etag);
  }

  public static void main(String[] arguments) throws Exception {
    Files.createDirectories(STATE);
    for (String name : new String[] {"products", "prices", "stock"}) sync(name);
  }
}
