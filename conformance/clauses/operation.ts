import { type Clause, clause, notTestable } from '../clause.js';

const OPERATORS = 'is for operators: no client sees it';
const FILES = 'is about files and commands: no client sees it';
const OUTAGE = 'needs an outage, or a client that does harm';
const STORED = 'is about how things are stored or made';

/** Decisions that no client sees over the interface, or not without harm. */
export const OPERATION: Clause[] = [
  clause('decision 29', 'which databases there are', notTestable(OPERATORS)),
  clause('decision 30', 'settings', notTestable(OPERATORS)),
  clause('decision 31', 'no secret in a log', notTestable(OPERATORS)),
  clause('decision 36', 'foreign keys', notTestable(STORED)),
  clause('decision 38', 'columns that must not be empty', notTestable(FILES)),
  clause('decision 39', 'headers of files', notTestable(FILES)),
  clause('decision 40', 'the last day of a key', notTestable(FILES)),
  clause('decision 42', 'limits of downloads', notTestable(OUTAGE)),
  clause('decision 43', 'waits for the database', notTestable(OUTAGE)),
  clause('decision 45', 'migrations', notTestable(OPERATORS)),
  clause('decision 46', 'demo data', notTestable(OPERATORS)),
  clause('decision 48', 'comparison and storage', notTestable(STORED)),
  clause('decision 49', 'who is inactive', notTestable(FILES)),
  clause('decision 50', 'deadlines of statements', notTestable(OUTAGE)),
  clause('decision 53', 'a key whose last day is over', notTestable(FILES)),
  clause('decision 54', 'commands make no database', notTestable(FILES)),
  clause('decision 56', 'ports differ', notTestable(OPERATORS)),
  clause('decision 57', 'sessions on a server', notTestable(STORED)),
  clause('decision 58', 'how long a stop takes', notTestable(OUTAGE)),
  clause('decision 59', 'NUL characters', notTestable(FILES)),
  clause('decision 60', 'what --replace removes', notTestable(FILES)),
  clause('decision 61', 'the drop guard', notTestable(FILES)),
  clause('decision 62', 'elements that a file lacks', notTestable(FILES)),
  clause('decision 63', 'ProductPrices in files', notTestable(FILES)),
  clause('decision 64', 'columns that a map does not name', notTestable(FILES)),
  clause('decision 65', 'codes in E-notation', notTestable(FILES)),
  clause('decision 66', 'records of imports', notTestable(FILES)),
  clause('decision 68', 'stored documents', notTestable(STORED)),
  clause('decision 69', 'their shape', notTestable(STORED)),
  clause('decision 70', 'versions of the content', notTestable(STORED)),
  clause('decision 74', 'downloads take turns', notTestable(OUTAGE)),
  clause('decision 75', 'read replicas', notTestable(OPERATORS)),
  clause('decision 76', 'privileges for triggers', notTestable(OPERATORS)),
  clause('decision 77', 'secrets from files', notTestable(OPERATORS)),
  clause('decision 78', 'encryption to databases', notTestable(OPERATORS)),
  clause('decision 79', 'the drain', notTestable(OUTAGE)),
  clause('decision 80', 'the heap', notTestable(OPERATORS)),
  clause('decision 82', 'waits of migrations', notTestable(OPERATORS)),
  clause('decision 83', 'metrics of the state', notTestable(OPERATORS)),
  clause('decision 84', 'the log of requests', notTestable(OPERATORS)),
  clause('decision 86', 'a wait is one wait', notTestable(OUTAGE)),
  clause('decision 88', 'a token request without the database is never 429 (§8.4)', notTestable(OUTAGE)),
  clause('decision 94', 'how CSV is made', notTestable(STORED)),
];
