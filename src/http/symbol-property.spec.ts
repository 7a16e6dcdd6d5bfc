import { SymbolProperty } from './symbol-property.js';

test('two properties of the same owner are independent, even if they have the same name', () => {
  const [first, second] = [new SymbolProperty<object, string>('x'), new SymbolProperty<object, string>('x')];
  const [owner, other] = [{}, {}];
  first.set(owner, 'first');
  second.set(owner, 'second');
  expect([first.get(owner), second.get(owner)]).toEqual(['first', 'second']);
  expect(first.get(other)).toBeUndefined();
});

test('JSON and Object.keys do not contain the property', () => {
  const owner = { visible: true };
  new SymbolProperty<object, string>('x').set(owner, 'secret');
  expect(Object.keys(owner)).toEqual(['visible']);
  expect(JSON.stringify(owner)).toBe('{"visible":true}');
});
