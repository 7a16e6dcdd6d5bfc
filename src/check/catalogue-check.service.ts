import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../database/database.service.js';
import type { Query } from '../database/query.js';
import { upsert } from '../database/upsert.js';
import { timeOrNull, timestampText } from '../database/utc-time.js';
import { RULES, type CheckRule, SQL_RULES, type SqlRule, TEXT_RULES } from './rules.js';
import { checkTexts } from './text-check.js';

const EXAMPLES = 10;

/** The findings of one rule. */
export interface Findings {
  rule: string;
  description: string;
  count: number;
  /** Descriptions of the first findings. */
  examples: string[];
}

/** The count that the last check of a rule recorded. */
export interface RecordedFindings {
  rule: string;
  count: number;
  checkedAt: Date | null;
}

/** Finds probable mistakes in the catalogue, although every row is valid. */
@Injectable()
export class CatalogueCheckService {
  constructor(private readonly database: DatabaseService) {}

  /** Checks the named rules in one snapshot and records the counts. */
  async run(names: ReadonlySet<string>): Promise<Findings[]> {
    const snapshot = await this.database.snapshot();
    const found = new Map(RULES.filter(({ name }) => names.has(name)).map((rule) => [rule.name, none(rule)]));
    try {
      if (Object.keys(TEXT_RULES).some((name) => names.has(name)))
        await checkTexts(snapshot.query, (name, example) => add(found.get(name), example));
      for (const rule of SQL_RULES) if (names.has(rule.name)) found.set(rule.name, await check(snapshot.query, rule));
    } finally {
      await snapshot.close();
    }
    await this.record([...found.values()]);
    return [...found.values()];
  }

  /** The recorded count of each rule that was checked before. */
  async recorded(): Promise<RecordedFindings[]> {
    const rows = await this.database.query('SELECT RuleName, Findings, CheckedAt FROM catalogue_findings');
    return rows.map(({ RuleName, Findings, CheckedAt }) => ({
      rule: String(RuleName),
      count: Number(Findings),
      checkedAt: timeOrNull(CheckedAt),
    }));
  }

  private async record(findings: readonly Findings[]): Promise<void> {
    const now = timestampText(new Date());
    const rows = findings.map(({ rule, count }) => [rule, count, now]);
    await this.database.change((session) =>
      upsert(session, 'catalogue_findings', ['RuleName'], ['Findings', 'CheckedAt'], rows),
    );
  }
}

const none = ({ name, description }: CheckRule): Findings => ({ rule: name, description, count: 0, examples: [] });

function add(findings: Findings | undefined, example: string): void {
  if (!findings) return;
  findings.count++;
  if (findings.examples.length < EXAMPLES) findings.examples.push(example);
}

async function check(query: Query, rule: SqlRule): Promise<Findings> {
  const parameters = rule.needsToday ? [new Date().toISOString().slice(0, 10)] : [];
  const [row] = await query(`SELECT COUNT(*) AS findings FROM (${rule.sql}) found`, parameters);
  const count = Number(row?.findings);
  const examples = count ? await query(`${rule.sql} LIMIT ${EXAMPLES}`, parameters) : [];
  return { rule: rule.name, description: rule.description, count, examples: examples.map(rule.describe) };
}
