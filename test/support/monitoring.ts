import type { IPrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { Dashboard } from './dashboard.js';

export const PROJECT = resolve(__dirname, '../..');
export const textOf = (path: string): string => readFileSync(join(PROJECT, path), 'utf8');

/** The rules in the repository, including recording rules. */
export const ruleGroups = (parse(textOf('deploy/monitoring/prometheus-rule.yaml')) as IPrometheusRule).spec.groups!;
export const rules = ruleGroups.flatMap((group) => group.rules!);
export const alerts = rules.filter(({ alert }) => alert);
export const dashboard = JSON.parse(textOf('deploy/monitoring/dashboard.json')) as Dashboard;

/**
 * Runs promtool in a folder.
 * @returns its output
 * @throws with its error output
 */
export function promtool(cwd: string, ...args: string[]): string {
  return execFileSync('promtool', args, { cwd, encoding: 'utf8', stdio: 'pipe' });
}
