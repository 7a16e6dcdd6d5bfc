import { summarizeStatement } from './statement-summary.js';

describe('summarizeStatement (decision 195)', () => {
  test.each([
    ['SELECT a FROM product_documents WHERE SKU > 5', { operation: 'SELECT', table: 'product_documents' }],
    ['\n  select `a` from\n `stock` s', { operation: 'SELECT', table: 'stock' }],
    ['SELECT x FROM (SELECT y FROM prices) p', { operation: 'SELECT', table: 'prices' }],
    ['UPDATE customers SET Active = 0', { operation: 'UPDATE', table: 'customers' }],
    ['START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY', { operation: 'START TRANSACTION' }],
    ['(SELECT 1) UNION (SELECT 2)', { operation: 'SELECT' }],
    ['-- a comment', { operation: 'QUERY' }],
    ['', { operation: 'QUERY' }],
  ])('names operation and table of %j', (sql, summary) => {
    expect(summarizeStatement(sql)).toEqual(summary);
  });

  test.each([
    "SELECT 'a from secret'",
    'SELECT "a from secret"',
    "SELECT 'it\\'s from secret' FROM t",
    "SELECT x WHERE a = 'b' AND c = ' FROM secret'",
  ])('takes no part of a value for a name: %s', (sql) => {
    expect(summarizeStatement(sql)).toEqual({ operation: 'SELECT' });
  });
});
