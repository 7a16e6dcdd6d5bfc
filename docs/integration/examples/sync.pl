#!/usr/bin/perl
# Fetches what has changed, with Perl 5.14 or later and its core modules; https also needs IO::Socket::SSL and
# Net::SSLeay. Set BASE_URL, CLIENT_ID and CLIENT_SECRET. The folder STATE holds the bytes of each element as they were
# received, one on each line. Numbers therefore stay exact, and equal elements are equal lines. To calculate with
# prices, read the lines with JSON::PP->new->utf8->allow_bignum.
use strict;
use warnings;
use File::Path 'make_path';
use HTTP::Tiny;
use IO::Uncompress::Gunzip qw(gunzip $GunzipError);
use List::Util 'first';
use Time::HiRes 'sleep';

my ($base_url, $client_id, $client_secret) = map { $ENV{$_} // fail("Set $_.") } qw(BASE_URL CLIENT_ID CLIENT_SECRET);
my $state = $ENV{STATE} // 'customer-data';
my $attempts = 6;
my $pause = 2; # seconds before the first retry
my $api_version = '2026-04'; # the API profile that this script expects
my $allow_removals = first { $_ eq '--allow-removals' } @ARGV;
my $ndjson = qr{^application/x-ndjson\b};
my $token;
# Before version 0.083, HTTP::Tiny does not verify certificates by default. It follows redirects by default.
my $http = HTTP::Tiny->new(timeout => 60, verify_SSL => 1, max_redirect => 0, keep_alive => 0);

# Perl's own exit code after `die` depends on the last error of the system.
sub fail { print STDERR "@_\n"; exit 1 }
sub stop { my ($code, $problem) = @_; print STDERR "$problem\n"; exit $code }

# Sends a request once. Returns the response, and the problem that a retry may solve.
sub once {
  my ($method, $path, $headers, $content) = @_;
  my $response = $http->request($method, $base_url . $path,
    { headers => { 'Accept-Encoding' => 'gzip', %$headers }, content => $content });
  return $response, $response->{content} if $response->{status} == 599; # HTTP::Tiny's own status: no response
  return $response, "status $response->{status}" if $response->{status} == 429 || $response->{status} >= 500;
  if (($response->{headers}{'content-encoding'} // '') eq 'gzip') {
    my $bytes = $response->{content};
    gunzip(\$bytes, \$response->{content}, Strict => 1) or return $response, "truncated: $GunzipError";
  }
  return $response, is_data($response) && is_truncated($path, $response) ? 'truncated' : undef;
}

sub is_data {
  my ($response) = @_;
  return $response->{status} == 200 && ($response->{headers}{'content-type'} // '') =~ $ndjson;
}

# True if the end of the response is missing. Not every library reports a truncation.
sub is_truncated {
  my ($path, $response) = @_;
  my $body = \$response->{content};
  return $$body !~ /\n\{"End":true\}\n\z/ if $path =~ m{/changes\z};
  my $last = $response->{headers}{'x-last-sku'};
  return defined $last || $$body ne '' if !defined $last || $$body !~ /\n\z/;
  $last =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ge;
  $last =~ s/(["\\])/\\$1/g; # The JSON of a SKU escapes only quotes and backslashes.
  return sku_of(substr $$body, rindex($$body, "\n", length($$body) - 2) + 1) ne qq("$last");
}

# The SKU of a line in its JSON spelling: in quotes, with quotes and backslashes escaped.
sub sku_of {
  my ($line) = @_;
  return $line =~ /"SKU":("(?:[^"\\]|\\.)*")/ ? $1 : fail("A line has no SKU: $line");
}

# Sends a request. Retries after 429, 5xx, a connection error or a truncated response.
sub send_request {
  my ($method, $path, $headers, $content) = @_;
  for my $attempt (1 .. $attempts) {
    my ($response, $problem) = once($method, $path, $headers, $content);
    return $response if !defined $problem;
    $problem =~ s/\s+\z//;
    fail("$path: gave up after $attempt attempts: $problem") if $attempt == $attempts;
    # Without Retry-After, wait about 2, 4, 8 … seconds. The random part spreads the retries of many clients.
    my $wait = $response->{headers}{'retry-after'} // '';
    $wait = $pause * 2**($attempt - 1) * (0.5 + rand) if $wait !~ /^[0-9]+$/;
    printf STDERR "%s: %s; retrying in %.1f s\n", $path, $problem, $wait;
    sleep $wait;
  }
}

sub new_token {
  my $form = $http->www_form_urlencode(
    [grant_type => 'client_credentials', client_id => $client_id, client_secret => $client_secret]);
  my $response = send_request('POST', '/auth/token', { 'Content-Type' => 'application/x-www-form-urlencoded' }, $form);
  my ($received) = $response->{content} =~ /"access_token":"([^"]*)"/;
  fail("No token: $response->{status} $response->{content}") if $response->{status} != 200 || !defined $received;
  return $received;
}

sub get {
  my ($path, $etag) = @_;
  my $response;
  for (1 .. 2) {
    $token //= new_token();
    my %headers = (Authorization => "Bearer $token", Accept => 'application/x-ndjson');
    $headers{'If-None-Match'} = $etag if $etag ne '';
    $response = send_request('GET', $path, \%headers, '');
    last if $response->{status} != 401;
    $token = undef; # The token is no longer valid: request one new token.
  }
  return $response;
}

sub check_version {
  my $response = get('/api/version', '');
  my ($found) = $response->{content} =~ /"apiVersion":"([^"]*)"/;
  fail("/api/version: $response->{status} $response->{content}") if $response->{status} != 200 || !defined $found;
  return if $found eq $api_version;
  my $problem = "The service has API profile $found, but this script expects $api_version.";
  stop(20, "$problem Read the changelog, then change \$api_version.");
}

# Maps each SKU to its line.
sub by_sku {
  my ($text) = @_;
  return map { sku_of($_) => $_ } split /\n/, $text;
}

# Applies a response of /changes to the old elements. A complete response replaces all of them.
sub apply_changes {
  my ($old, $text) = @_;
  my ($first, @changes) = split /\n/, $text;
  my %now = $first =~ /"Complete":true/ ? () : %$old;
  for my $line (@changes) {
    if ($line =~ /^\{"Changed":(.*)\}\z/) { $now{sku_of($1)} = $1 }
    elsif ($line =~ /^\{"Gone":(.*)\}\z/) { delete $now{$1} }
  }
  return %now;
}

sub read_file {
  my ($path) = @_;
  return '' if !-e $path;
  open my $file, '<:raw', $path or fail("$path: $!");
  local $/ = undef;
  return scalar(<$file>) // '';
}

sub write_file {
  my ($path, @lines) = @_;
  open my $file, '>:raw', $path or fail("$path: $!");
  print $file @lines or fail("$path: $!");
  close $file or fail("$path: $!");
}

sub sync {
  my ($name) = @_;
  my ($file, $tag_file) = ("$state/$name.ndjson", "$state/$name.etag");
  my $etag = -e $file ? read_file($tag_file) : '';
  my $response = get("/$name/changes", $etag);
  my $is_older = $response->{status} == 404; # An older release of the service has only whole responses.
  $response = get("/$name", $etag) if $is_older;
  return print "$name: unchanged\n" if $response->{status} == 304;
  # A 200 with a different Content-Type comes from a proxy and contains no products.
  my $type = $response->{headers}{'content-type'} // 'no type';
  fail("$name: $response->{status}, $type: $response->{content}") if !is_data($response);

  my %old = by_sku(read_file($file));
  my %now = $is_older ? by_sku($response->{content}) : apply_changes(\%old, $response->{content});
  my ($before, $all) = (scalar keys %old, scalar keys %now);
  my $known = grep { exists $old{$_} } keys %now;
  my $changed = grep { exists $old{$_} && $old{$_} ne $now{$_} } keys %now;
  my $gone = $before - $known;
  if ($gone > 0 && $gone * 5 >= $before && !$allow_removals) {
    my $problem = "$name: $gone of $before elements would disappear, so the stored data was kept.";
    stop(21, "$problem If they are really gone, run the script with --allow-removals.");
  }
  printf "%s: %d new, %d changed, %d gone, %d in all\n", $name, $all - $known, $changed, $gone, $all;

  # This order is safe if the script is killed: the ETag file belongs to the stored data, or does not exist.
  unlink $tag_file or -e $tag_file && fail("$tag_file: $!");
  write_file("$file.new", map { "$_\n" } values %now);
  rename "$file.new", $file or fail("$file: $!");
  write_file($tag_file, $response->{headers}{etag} // '');
}

$| = 1;
eval {
  make_path($state);
  check_version();
  sync($_) for qw(products prices stock);
  1;
} or fail($@);
