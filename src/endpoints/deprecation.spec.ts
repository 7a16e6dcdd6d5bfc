import { deprecationHeaders } from './deprecation.js';

const declared = {
  since: '2027-01-15',
  sunset: '2028-01-15',
  link: 'https://docs.example.com/versioning.html#2027-01',
};

test('a deprecation sets the headers of RFC 9745 and RFC 8594', () => {
  expect(deprecationHeaders('/stock', declared)).toEqual({
    Deprecation: '@1799971200',
    Sunset: 'Sat, 15 Jan 2028 00:00:00 GMT',
    Link: '<https://docs.example.com/versioning.html#2027-01>; rel="deprecation"; type="text/html"',
  });
});

test.each([
  [{ sunset: '2028-01-14' }, '/stock: the sunset 2028-01-14 is less than 12 months after 2027-01-15. Name 2028-01-15'],
  [{ since: '2027-02-30' }, '/stock: "2027-02-30" in the deprecation is not a day'],
  [{ sunset: 'soon' }, '/stock: "soon" in the deprecation is not a day'],
  [{ link: '/versioning.html' }, '/stock: the link "/versioning.html" of the deprecation is not a URL'],
  [{ link: 'http://docs.example.com' }, 'is not a URL that starts with https://'],
])('a deprecation with %j fails at the start, and names the endpoint', (change, message) => {
  expect(() => deprecationHeaders('/stock', { ...declared, ...change })).toThrow(message);
});
