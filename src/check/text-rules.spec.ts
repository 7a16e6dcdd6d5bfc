import { gtinFault } from './gtin.js';
import { isPictureName } from './picture-name.js';
import { unclosedHtml } from './unclosed-html.js';

describe('gtinFault()', () => {
  test.each([
    '4006381333931',
    '96385074',
    '036000291452',
    '14006381333938',
    '0000000000000',
    'X-123',
    '4006381 333931',
  ])('accepts the barcode %s', (barcode) => expect(gtinFault(barcode)).toBeUndefined());

  test.each([
    ['4006381333932', 'ends in 2, but its check digit is 1'],
    ['4006381339331', 'ends in 1, but its check digit is 9'],
    ['36000291452', 'has 11 digits, but a GTIN has 8, 12, 13 or 14'],
    ['1', 'has 1 digits, but a GTIN has 8, 12, 13 or 14'],
  ])('rejects the barcode %s, which %s', (barcode, fault) => expect(gtinFault(barcode)).toBe(fault));
});

describe('isPictureName()', () => {
  test.each([
    'pir-1001_front.jpg',
    'Größe 1.webp',
    'a.b.jpeg',
    'https://cdn.example.com/pir-1001.jpg',
    'HTTP://x/y?size=1,2',
  ])('accepts the name %s', (text) => expect(isPictureName(text)).toBe(true));

  test.each([
    'pir-1001',
    'images/a.jpg',
    'C:\\pictures\\a.jpg',
    'a.jpg,b.jpg',
    'a.jpg;b.jpg',
    '//cdn.example.com/a.jpg',
    'ftp://x/a.jpg',
    'https://',
    'https://x/a b.jpg',
    ' a.jpg',
    '.jpg',
    'no_selection',
  ])('rejects the name %j', (text) => expect(isPictureName(text)).toBe(false));
});

describe('unclosedHtml()', () => {
  test.each([
    '',
    'plain text, 3 < 4 and 5 > 4',
    '<p>one<br>two<br/></p><IMG src="a>b.jpg">',
    '<ul><li>one</li><li>two</li></ul>',
    '<!-- <p> --><b>x</b>',
    '<P>x</p>',
    '</p>',
    '<svg><path d="M0"/></svg>',
  ])('accepts %j', (html) => expect(unclosedHtml(html)).toBeUndefined());

  test.each([
    ['<p>one', '<p> is not closed'],
    ['<p><b>one</p>', '<b> is not closed'],
    ['<div><p>one</p>', '<div> is not closed'],
    ['<p>one</p', '<p> is not closed'],
    ['one <a hre', '"<a hre" is incomplete'],
    ['one <!-- two', '"<!-- two" is incomplete'],
    ['<b>a</b> <img src="a.jpg', '"<img src="a.jpg" is incomplete'],
  ])('returns the fault of %j: %s', (html, fault) => expect(unclosedHtml(html)).toBe(fault));

  // A check whose time grows with the square of the length would take minutes per text.
  test.each([
    ['<', undefined],
    ['<a ', '"<a " is incomplete'],
    ['<a "', '"<a "" is incomplete'],
    ["<a '", `"<a '" is incomplete`],
    ['<!--', '"<!--" is incomplete'],
    ['<!-- -->', undefined],
    ['</a', '"</a" is incomplete'],
    ['<p>', '<p> is not closed'],
    ['<b></p>', '<b> is not closed'],
    ['<a b=c ', '"<a b=c " is incomplete'],
    ['<a/', '"<a/" is incomplete'],
  ])('returns in linear time for 200,000 times %j: %s', (piece, fault) =>
    expect(unclosedHtml(piece.repeat(200_000))).toBe(fault),
  );
});
