import java.io.ByteArrayInputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

/** A client that uses only Java's standard library. session.mjs describes its steps. */
public class JavaClient {
  static final String BASE = System.getenv("BASE");
  static final String ID = System.getenv("CLIENT_ID");
  static final String SECRET = System.getenv("CLIENT_SECRET");
  static final HttpClient CLIENT = HttpClient.newHttpClient();

  static HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
    return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  static String token(String secret, boolean basic) throws Exception {
    String form = "grant_type=client_credentials";
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(BASE + "/auth/token"));
    if (basic) {
      byte[] both = (encoded(ID) + ":" + encoded(secret)).getBytes(StandardCharsets.UTF_8);
      request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(both));
    } else {
      form += "&client_id=" + encoded(ID) + "&client_secret=" + encoded(secret);
    }
    request.header("Content-Type", "application/x-www-form-urlencoded");
    return text(send(request.POST(HttpRequest.BodyPublishers.ofString(form))));
  }

  static String text(HttpResponse<byte[]> response) {
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  /** The value of a key as JSON text. */
  static String value(String json, String key) {
    Matcher matcher = Pattern.compile("\"" + key + "\":(\"[^\"]*\"|[^,}]*)").matcher(json);
    return matcher.find() ? matcher.group(1) : "null";
  }

  public static void main(String[] arguments) throws Exception {
    String body = token(SECRET, false);
    String basic = token(SECRET, true);
    String token = value(basic, "access_token").replace("\"", "");
    HttpRequest.Builder stock =
        HttpRequest.newBuilder(URI.create(BASE + "/stock")).header("Authorization", "Bearer " + token);
    HttpResponse<byte[]> plain = send(stock.copy());
    String etag = plain.headers().firstValue("ETag").orElseThrow();
    HttpResponse<byte[]> again = send(stock.copy().header("If-None-Match", etag));
    HttpResponse<byte[]> packed = send(stock.copy().header("Accept-Encoding", "gzip"));
    byte[] unpacked = new GZIPInputStream(new ByteArrayInputStream(packed.body())).readAllBytes();
    HttpResponse<byte[]> refusal = send(stock.copy());
    for (int calls = 0; refusal.statusCode() == 200 && calls < 50; calls++) refusal = send(stock.copy());
    long wait = refusal.headers().firstValueAsLong("Retry-After").orElse(0);
    String skus =
        Pattern.compile("\"SKU\":(\"[^\"]*\")").matcher(text(plain)).results()
            .map(match -> match.group(1)).collect(Collectors.joining(","));
    String last = URLDecoder.decode(plain.headers().firstValue("X-Last-SKU").orElse(""), StandardCharsets.UTF_8);
    new PrintStream(System.out, true, StandardCharsets.UTF_8).printf(
        "{\"types\":[%s,%s],\"expires\":[%s,%s],\"wrong\":[%s,%s],\"skus\":[%s],\"again\":%d,"
            + "\"complete\":%b,\"gzip\":[\"%s\",%b],\"quota\":[%d,%b,%s]}%n",
        value(body, "token_type").toLowerCase(), value(basic, "token_type").toLowerCase(),
        value(body, "expires_in"), value(basic, "expires_in"),
        value(token("wrong", false), "error"), value(token("wrong", true), "error"),
        skus, again.statusCode(), skus.endsWith('"' + last + '"'),
        packed.headers().firstValue("Content-Encoding").orElse(""), Arrays.equals(unpacked, plain.body()),
        refusal.statusCode(), wait > 0, value(text(refusal), "message"));
  }
}
