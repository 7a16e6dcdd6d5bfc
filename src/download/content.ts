import { API_PROFILE } from '../http/api-profile.js';
import { digestOf } from '../http/validator.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import type { PartName } from '../versions/content-parts.js';

/** What the elements of a response depend on, besides the customer's terms. */
export interface Content {
  /** The path that returns all of them. */
  readonly path: string;
  /** Names how they are written, see `serializationHash`. */
  readonly serializationHash: string;
  /** The content parts whose changes may change them. */
  readonly dependsOn: readonly PartName[];
}

/** One state of the elements that a customer sees. */
export interface ContentState {
  /** A digest of everything else that the elements depend on: path, serialization and terms. */
  readonly terms: string;
  /** The version of each part that the content depends on. null: the part never had anything. */
  readonly versions: readonly (string | null)[];
}

/** The state that a scope shows. */
export function stateOf(
  { path, serializationHash, dependsOn }: Content,
  { terms, parts }: CustomerScope,
): ContentState {
  return {
    terms: digestOf([API_PROFILE, path, serializationHash, terms]),
    versions: dependsOn.map((part) => parts[part]?.version ?? null),
  };
}

/** No version is an empty text. */
const NO_VERSION = '';

/**
 * The strong `ETag` of a body that shows this state. Clients cannot read it. The service reads the state back, so that a
 * client names by it what a delta starts from.
 * @param form everything that its bytes depend on besides the state
 */
export function tagOf({ terms, versions }: ContentState, form: unknown): string {
  const hash = digestOf([form, terms, versions]);
  const text = versions.map((version) => encodeURIComponent(version ?? NO_VERSION)).join('~');
  return `"${hash}.${terms}.${text}"`;
}

const TAG = /^"[\w-]+\.([\w-]+)\.([\w.!*'()%~-]*)"$/;

/** The state that a tag names; undefined: it is none of ours. Its terms and versions may be anything. */
export function stateInTag(tag: string): ContentState | undefined {
  const [, terms, text] = TAG.exec(tag) ?? [];
  if (terms === undefined || text === undefined) return undefined;
  try {
    const versions = text.split('~').map((version) => decodeURIComponent(version));
    return { terms, versions: versions.map((version) => (version === NO_VERSION ? null : version)) };
  } catch {
    return undefined;
  }
}

/** Whether both name the same state. */
export function isSameState(one: ContentState, other: ContentState): boolean {
  return one.terms === other.terms && JSON.stringify(one.versions) === JSON.stringify(other.versions);
}
