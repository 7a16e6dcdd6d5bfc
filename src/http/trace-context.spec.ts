import { parseTraceparent } from './trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${SPAN}-01`;

describe('parseTraceparent (W3C Trace Context §3.2)', () => {
  test.each([
    ['01', true],
    ['00', false],
    ['03', true],
    ['fe', false],
  ])('reads the lowest bit of the flags %s as sampled: %s', (flags, sampled) => {
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-${flags}`)).toEqual({ traceId: TRACE, spanId: SPAN, sampled });
  });

  test.each([`01-${TRACE}-${SPAN}-01`, `cc-${TRACE}-${SPAN}-01-what-the-future-adds`, `01-${TRACE}-${SPAN}-01-`])(
    'reads the known fields of a later version: %s',
    (header) => {
      expect(parseTraceparent(header)).toEqual({ traceId: TRACE, spanId: SPAN, sampled: true });
    },
  );

  test.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['version ff', VALID.replace('00', 'ff')],
    ['a trace ID of zeros', VALID.replace(TRACE, '0'.repeat(32))],
    ['a span ID of zeros', VALID.replace(SPAN, '0'.repeat(16))],
    ['capital letters', VALID.toUpperCase()],
    ['a digit too few in the trace ID', VALID.replace(TRACE, TRACE.slice(1))],
    ['a digit too many in the span ID', VALID.replace(SPAN, `${SPAN}0`)],
    ['one digit of flags', VALID.slice(0, -1)],
    ['three digits of flags', `${VALID}0`],
    ['no flags', VALID.slice(0, -3)],
    ['a further field of version 00', `${VALID}-00`],
    ['a further field without a dash in a later version', `${VALID.replace('00', '01')}.00`],
    ['spaces', ` ${VALID}`],
    ['a line break', `${VALID}\n`],
    ['two headers that Node has joined', `${VALID}, ${VALID}`],
  ])('ignores %s', (_, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});
