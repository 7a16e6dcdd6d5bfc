// Fetches what has changed, with Go 1.18 or later and without modules. Set BASE_URL, CLIENT_ID and CLIENT_SECRET. The
// folder STATE holds the bytes of each element as they were received, one on each line. Numbers therefore stay exact,
// and equal elements are equal lines. To calculate with prices, use json.Decoder with UseNumber.
package main

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	attempts   = 6
	pause      = 2         // seconds before the first retry
	apiVersion = "2026-04" // the API profile that this script expects
	ndjson     = "application/x-ndjson"
)

var (
	baseURL  = os.Getenv("BASE_URL")
	state    = os.Getenv("STATE")
	token    string
	versions = regexp.MustCompile(`"apiVersion":"([^"]*)"`)
	client   = &http.Client{
		// For a whole response. Raise it for a slow connection.
		Timeout: 15 * time.Minute,
		// A redirect is an error, because the token belongs to this address only.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout:   30 * time.Second,
			ResponseHeaderTimeout: time.Minute,
			// On a reused connection, the library repeats some requests by itself.
			DisableKeepAlives: true,
		},
	}
)

type received struct {
	status int
	header http.Header
	text   string
}

func fail(values ...interface{}) { stop(1, fmt.Sprint(values...)) }

func stop(code int, problem string) {
	fmt.Fprintln(os.Stderr, problem)
	os.Exit(code)
}

func must(err error) {
	if err != nil {
		fail(err)
	}
}

// Returns an error if the response is truncated. The library requests gzip and decompresses it.
func once(request *http.Request) (received, error) {
	response, err := client.Do(request)
	if err != nil {
		return received{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return received{}, err
	}
	result := received{response.StatusCode, response.Header, string(body)}
	if isData(result) && isTruncated(request.URL.Path, result) {
		return received{}, errors.New("truncated")
	}
	return result, nil
}

func isData(one received) bool {
	return one.status == 200 && strings.HasPrefix(one.header.Get("Content-Type"), ndjson)
}

// True if the end of the response is missing. Not every library reports a truncation.
func isTruncated(path string, one received) bool {
	if strings.HasSuffix(path, "/changes") {
		return !strings.HasSuffix(one.text, "\n{\"End\":true}\n")
	}
	_, isNamed := one.header[http.CanonicalHeaderKey("X-Last-SKU")]
	if !isNamed || !strings.HasSuffix(one.text, "\n") {
		return isNamed || one.text != ""
	}
	last, err := url.PathUnescape(one.header.Get("X-Last-SKU"))
	lines := linesOf(one.text)
	return err != nil || skuOf(lines[len(lines)-1]) != last
}

func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func skuOf(line string) string {
	var element struct{ SKU *string }
	must(json.Unmarshal([]byte(line), &element))
	if element.SKU == nil {
		fail("A line has no SKU: ", line)
	}
	return *element.SKU
}

// A random number from 0.5 to 1.5. Before Go 1.20, math/rand starts with the same number in every process.
func jitter() float64 {
	var bytes [4]byte
	_, err := rand.Read(bytes[:])
	must(err)
	return 0.5 + float64(binary.BigEndian.Uint32(bytes[:]))/math.MaxUint32
}

// Sends a request. Retries after 429, 5xx, a connection error or a truncated response.
func send(method, path, form string, header http.Header) received {
	for attempt := 1; ; attempt++ {
		request, err := http.NewRequest(method, baseURL+path, strings.NewReader(form))
		must(err)
		request.Header = header
		one, err := once(request)
		if err == nil && one.status != 429 && one.status < 500 {
			return one
		}
		problem := fmt.Sprint("status ", one.status)
		if err != nil {
			problem = err.Error()
		}
		if attempt == attempts {
			fail(path, ": gave up after ", attempt, " attempts: ", problem)
		}
		// Without Retry-After, wait about 2, 4, 8 … seconds. The random part spreads the retries of many clients.
		wait := pause * math.Pow(2, float64(attempt-1)) * jitter()
		if seconds, err := strconv.ParseUint(one.header.Get("Retry-After"), 10, 32); err == nil {
			wait = float64(seconds)
		}
		fmt.Fprintf(os.Stderr, "%s: %s; retrying in %.1f s\n", path, problem, wait)
		time.Sleep(time.Duration(wait * float64(time.Second)))
	}
}

func newToken() string {
	form := url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {os.Getenv("CLIENT_ID")},
		"client_secret": {os.Getenv("CLIENT_SECRET")},
	}
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	one := send("POST", "/auth/token", form.Encode(), header)
	var body struct {
		AccessToken string `json:"access_token"`
	}
	if one.status != 200 || json.Unmarshal([]byte(one.text), &body) != nil || body.AccessToken == "" {
		fail("No token: ", one.status, " ", one.text)
	}
	return body.AccessToken
}

func get(path, etag string) received {
	for renewed := false; ; renewed = true {
		if token == "" {
			token = newToken()
		}
		header := http.Header{"Authorization": {"Bearer " + token}, "Accept": {ndjson}}
		if etag != "" {
			header.Set("If-None-Match", etag)
		}
		one := send("GET", path, "", header)
		if one.status != 401 || renewed {
			return one
		}
		token = "" // The token is no longer valid: request one new token.
	}
}

func checkVersion() {
	one := get("/api/version", "")
	found := versions.FindStringSubmatch(one.text)
	if one.status != 200 || found == nil {
		fail("/api/version: ", one.status, " ", one.text)
	}
	if found[1] != apiVersion {
		problem := fmt.Sprintf("The service has API profile %s, but this script expects %s.", found[1], apiVersion)
		stop(20, problem+" Read the changelog, then change apiVersion.")
	}
}

// Maps each SKU to its line.
func bySKU(text string) map[string]string {
	lines := map[string]string{}
	for _, line := range linesOf(text) {
		lines[skuOf(line)] = line
	}
	return lines
}

// Applies a response of /changes to the old elements. A complete response replaces all of them.
func applyChanges(old map[string]string, text string) map[string]string {
	lines := linesOf(text)
	now := map[string]string{}
	var first struct{ Complete bool }
	must(json.Unmarshal([]byte(lines[0]), &first))
	if !first.Complete {
		for sku, line := range old {
			now[sku] = line
		}
	}
	for _, line := range lines[1:] {
		var change struct {
			Changed json.RawMessage // the bytes as they were received
			Gone    *string
		}
		must(json.Unmarshal([]byte(line), &change))
		if change.Changed != nil {
			element := string(change.Changed)
			now[skuOf(element)] = element
		} else if change.Gone != nil {
			delete(now, *change.Gone)
		}
	}
	return now
}

func readFile(path string) string {
	text, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		must(err)
	}
	return string(text)
}

func sync(name string) {
	file, tagFile := filepath.Join(state, name+".ndjson"), filepath.Join(state, name+".etag")
	etag := ""
	if _, err := os.Stat(file); err == nil {
		etag = readFile(tagFile)
	}
	one := get("/"+name+"/changes", etag)
	isOlder := one.status == 404 // An older release of the service has only whole responses.
	if isOlder {
		one = get("/"+name, etag)
	}
	if one.status == 304 {
		fmt.Printf("%s: unchanged\n", name)
		return
	}
	// A 200 with a different Content-Type comes from a proxy and contains no products.
	if !isData(one) {
		fail(name, ": ", one.status, ", ", one.header.Get("Content-Type"), ": ", one.text)
	}

	old := bySKU(readFile(file))
	var now map[string]string
	if isOlder {
		now = bySKU(one.text)
	} else {
		now = applyChanges(old, one.text)
	}
	known, changed := 0, 0
	for sku, line := range now {
		if was, isKnown := old[sku]; isKnown {
			known++
			if was != line {
				changed++
			}
		}
	}
	gone := len(old) - known
	if gone > 0 && gone*5 >= len(old) && !allowRemovals() {
		problem := fmt.Sprintf("%s: %d of %d elements would disappear, so the stored data was kept.", name, gone, len(old))
		stop(21, problem+" If they are really gone, run the script with --allow-removals.")
	}
	fmt.Printf("%s: %d new, %d changed, %d gone, %d in all\n", name, len(now)-known, changed, gone, len(now))

	// This order is safe if the script is killed: the ETag file belongs to the stored data, or does not exist.
	if err := os.Remove(tagFile); !errors.Is(err, fs.ErrNotExist) {
		must(err)
	}
	var lines strings.Builder
	for _, line := range now {
		lines.WriteString(line + "\n")
	}
	must(os.WriteFile(file+".new", []byte(lines.String()), 0o600))
	must(os.Rename(file+".new", file))
	must(os.WriteFile(tagFile, []byte(one.header.Get("ETag")), 0o600))
}

func allowRemovals() bool {
	for _, argument := range os.Args[1:] {
		if argument == "--allow-removals" {
			return true
		}
	}
	return false
}

func main() {
	if state == "" {
		state = "customer-data"
	}
	must(os.MkdirAll(state, 0o700))
	checkVersion()
	for _, name := range []string{"products", "prices", "stock"} {
		sync(name)
	}
}
