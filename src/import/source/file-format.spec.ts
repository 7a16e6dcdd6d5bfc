import { formatFault } from './file-format.js';

const begins = (text: string) => Buffer.from(text, 'latin1');

test.each([
  [
    'PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0xx\x13\0\x08\x02[Content_Types].xml',
    'an Excel workbook (ZIP); save it as "CSV',
  ],
  ['PK\x03\x04\x14\0\0\0xl/workbook.xml', 'an Excel workbook'],
  ['PK\x03\x04\x14\0\0\0docProps/app.xml', 'an Excel workbook'],
  ['PK\x05\x06\0\0', 'an empty ZIP archive'],
  [`products.csv${'\0'.repeat(245)}ustar`, 'a TAR archive; unpack it'],
  ['PK\x03\x04\x14\0\0\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet', 'an OpenDocument file (ZIP)'],
  ['PK\x03\x04\x14\0\0\0products.csv', 'a ZIP archive; unpack it'],
  ['\xd0\xcf\x11\xe0\xa1\xb1', 'an old Excel workbook (XLS)'],
  ['%PDF-1.7', 'a PDF document'],
  ['BZh91AY', 'a compressed file other than gzip'],
  ['7z\xbc\xaf\x27\x1c', 'a compressed file other than gzip'],
  ['<?xml version="1.0"?><BMECAT>', 'XML'],
  ['\xef\xbb\xbf<?xml version="1.0"?>', 'XML'],
  ['<BMECAT version="2005">\n  <HEADER>', 'XML'],
  ['<products><product>', 'XML'],
  ['<html>\n<table>', 'HTML'],
  ['<!DOCTYPE html>', 'HTML'],
])('%j is recognized, and the message gives the remedy', (text, fault) => {
  expect(formatFault(begins(text))).toContain(`this is ${fault}`);
});

test.each(['SKU,Name', '<sku>,<name>\n', '<sku>;<b>\n', 'PK,Name\n', '', '[{"SKU":"A"}]', '\x1f\x8b\x08'])(
  '%j may be a table or JSON',
  (text) => expect(formatFault(begins(text))).toBeUndefined(),
);
