# Fetches what has changed, with Ruby 3.0 or later and without gems. Set BASE_URL, CLIENT_ID and CLIENT_SECRET. The
# folder STATE holds the text of each element as it was received, one on each line. Numbers therefore stay exact, and
# equal elements are equal lines. To calculate with prices, read the lines with
# JSON.parse(line, decimal_class: BigDecimal).
require 'fileutils'
require 'json'
require 'net/http'
require 'openssl'
require 'uri'
require 'zlib'

BASE_URL, CLIENT_ID, CLIENT_SECRET = %w[BASE_URL CLIENT_ID CLIENT_SECRET].map { |name| ENV.fetch(name) }
STATE = ENV.fetch('STATE', 'customer-data')
ATTEMPTS = 6
PAUSE = 2 # seconds before the first retry
API_VERSION = '2026-04' # the API profile that this script expects
ALLOW_REMOVALS = ARGV.include?('--allow-removals')
# max_retries: by default, Net::HTTP repeats a GET, and appends the second response to the first half.
HTTP_SETTINGS = { open_timeout: 30, read_timeout: 60, max_retries: 0, verify_mode: OpenSSL::SSL::VERIFY_PEER }.freeze
NETWORK_ERRORS = [
  SystemCallError, SocketError, IOError, OpenSSL::SSL::SSLError, Timeout::Error, Zlib::Error, Net::ProtocolError,
  Net::HTTPBadResponse, Net::HTTPHeaderSyntaxError
].freeze

Received = Struct.new(:status, :headers, :text)

def stop(code, problem)
  warn problem
  exit code
end

def once(request, path)
  uri = URI(BASE_URL)
  # With an Accept-Encoding of its own, a request gets the bytes as they were sent.
  request['Accept-Encoding'] = 'gzip'
  response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https', **HTTP_SETTINGS) do |http|
    http.request(request)
  end
  body = response.body || ''
  # Net::HTTP reports a truncated response only if it is chunked.
  length = response['Content-Length']
  raise EOFError, 'truncated' if length && response.code != '304' && body.bytesize != length.to_i
  body = Zlib.gunzip(body) if response['Content-Encoding'] == 'gzip'
  text = body.force_encoding(Encoding::UTF_8)
  received = Received.new(response.code.to_i, response, text)
  raise EOFError, 'truncated' if data?(received) && truncated?(path, response, text)
  received
end

def data?(received)
  received.status == 200 && received.headers['Content-Type'].to_s.start_with?('application/x-ndjson')
end

# True if the end of the response is missing. Not every library reports a truncation.
def truncated?(path, headers, text)
  return !text.end_with?("\n{\"End\":true}\n") if path.end_with?('/changes')
  last = headers['X-Last-SKU']
  return !last.nil? || !text.empty? if last.nil? || !text.end_with?("\n")
  sku_of(text[(text.rindex("\n", -2) || -1) + 1..]) != URI.decode_www_form_component(last)
end

def sku_of(line)
  JSON.parse(line).fetch('SKU')
end

# Sends the request that the block makes. Retries after 429, 5xx, a connection error or a truncated response.
def send_request(path)
  (1..).each do |attempt|
    wait = ''
    begin
      received = once(yield, path)
      return received if received.status != 429 && received.status < 500
      problem = "status #{received.status}"
      wait = received.headers['Retry-After'].to_s
    rescue *NETWORK_ERRORS => error
      problem = error.inspect
    end
    abort "#{path}: gave up after #{attempt} attempts: #{problem}" if attempt == ATTEMPTS
    # Without Retry-After, wait about 2, 4, 8 … seconds. The random part spreads the retries of many clients.
    wait = wait.match?(/\A\d+\z/) ? wait.to_f : PAUSE * 2**(attempt - 1) * (0.5 + rand)
    warn format('%s: %s; retrying in %.1f s', path, problem, wait)
    sleep wait
  end
end

def new_token
  received = send_request('/auth/token') do
    request = Net::HTTP::Post.new(URI("#{BASE_URL}/auth/token"))
    form = { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET }
    request.set_form_data(form)
    request
  end
  abort "No token: #{received.status} #{received.text}" if received.status != 200
  JSON.parse(received.text).fetch('access_token')
end

def get(path, etag)
  received = nil
  2.times do
    $token ||= new_token
    headers = { 'Authorization' => "Bearer #{$token}", 'Accept' => 'application/x-ndjson' }
    headers['If-None-Match'] = etag unless etag.empty?
    received = send_request(path) { Net::HTTP::Get.new(URI("#{BASE_URL}#{path}"), headers) }
    break if received.status != 401
    $token = nil # The token is no longer valid: request one new token.
  end
  received
end

def check_version
  received = get('/api/version', '')
  found = received.text[/"apiVersion":"([^"]*)"/, 1]
  abort "/api/version: #{received.status} #{received.text}" if received.status != 200 || found.nil?
  return if found == API_VERSION
  problem = "The service has API profile #{found}, but this script expects #{API_VERSION}."
  stop 20, "#{problem} Read the changelog, then change API_VERSION."
end

# Maps each SKU to its line.
def by_sku(text)
  text.split("\n").to_h { |line| [sku_of(line), line] }
end

# Applies a response of /changes to the old elements. A complete response replaces all of them.
def apply_changes(old, text)
  first, *changes = text.split("\n")
  now = JSON.parse(first)['Complete'] ? {} : old.dup
  changes.each do |line|
    change = JSON.parse(line)
    if change.key?('Changed')
      now[change['Changed'].fetch('SKU')] = line['{"Changed":'.length..-2]
    elsif change.key?('Gone')
      now.delete(change['Gone'])
    end
  end
  now
end

def sync(name)
  file = "#{STATE}/#{name}.ndjson"
  tag_file = "#{STATE}/#{name}.etag"
  before = File.exist?(file) ? File.read(file, mode: 'rb', encoding: 'utf-8') : ''
  etag = File.exist?(file) && File.exist?(tag_file) ? File.read(tag_file) : ''
  received = get("/#{name}/changes", etag)
  older = received.status == 404 # An older release of the service has only whole responses.
  received = get("/#{name}", etag) if older
  return puts("#{name}: unchanged") if received.status == 304
  # A 200 with a different Content-Type comes from a proxy and contains no products.
  abort "#{name}: #{received.status}, #{received.headers['Content-Type']}: #{received.text}" unless data?(received)

  old = by_sku(before)
  now = older ? by_sku(received.text) : apply_changes(old, received.text)
  known = now.keys.count { |sku| old.key?(sku) }
  same = now.count { |sku, line| old[sku] == line }
  gone = old.size - known
  if gone > 0 && gone * 5 >= old.size && !ALLOW_REMOVALS
    problem = "#{name}: #{gone} of #{old.size} elements would disappear, so the stored data was kept."
    stop 21, "#{problem} If they are really gone, run the script with --allow-removals."
  end
  puts "#{name}: #{now.size - known} new, #{known - same} changed, #{gone} gone, #{now.size} in all"

  # This order is safe if the script is killed: the ETag file belongs to the stored data, or does not exist.
  FileUtils.rm_f(tag_file)
  File.binwrite("#{file}.new", now.values.map { |line| "#{line}\n" }.join)
  File.rename("#{file}.new", file)
  File.binwrite(tag_file, received.headers['ETag'].to_s)
end

$stdout.sync = true
FileUtils.mkdir_p(STATE)
check_version
%w[products prices stock].each { |name| sync(name) }
