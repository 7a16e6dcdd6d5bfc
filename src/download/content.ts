import { API_PROFILE } from '../http/api-profile.js';
import { digestOf } from '../http/validator.js';
import type { CustomerScope } from '../scope/customer-scope.js';
import type { PartName } from '../versions/content-parts.js';

/** What the elements of a response depend on, apart from the customer's terms. */
export interface Content {
  /** The path that returns all elements. */
  readonly path: string;
  /** Identifies how the elements are serialized, see `serializationHash`. */
  readonly serializationHash: string;
  /** The content parts whose changes may change the elements. */
  readonly dependsOn: readonly PartName[];
}

/** A state of the elements that a customer sees. */
export interface ContentState {
  /** A digest of everything else that determines the elements: path, serialization and terms. */
  readonly terms: string;
  /** The version of each part in `dependsOn`. null: the part has never had a row. */
  readonly versions: readonly (string | null)[];
}

/** The state of the content in a scope. */
export function stateOf(
  { path, serializationHash, dependsOn }: Content,
  { terms, versions }: CustomerScope,
): ContentState {
  return {
    terms: digestOf([API_PROFILE, path, serializationHash, terms]),
    versions: dependsOn.map((part) => versions[part]),
  };
}

/** The empty text represents null in a tag, because no real version is empty. */
const NO_VERSION = '';

/** A hyphen before the last word. A proxy adds such a word when it compresses a body. */
const LAST_HYPHEN = /-(?=[a-z]+$)/;

/** Returns a version as it is in a tag. No tag ends like a tag to which a proxy has added a word. */
const inTag = (version: string | null) => encodeURIComponent(version ?? NO_VERSION).replace(LAST_HYPHEN, '%2D');

/**
 * Returns the strong `ETag` of a body that shows this state. The tag is opaque to clients. The service reads the state
 * back from it, so a client can name the state from which a delta starts.
 * @param form everything besides the state that determines the bytes
 */
export function tagOf({ terms, versions }: ContentState, form: unknown): string {
  const hash = digestOf([form, terms, versions]);
  const text = versions.map(inTag).join('~');
  return `"${hash}.${terms}.${text}"`;
}

const TAG = /^"[\w-]+\.([\w-]+)\.([\w.!*'()%~-]*)"$/;

/**
 * Returns the state in a tag, or undefined if the service did not create the tag. Terms and versions are unchecked
 * input.
 */
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

/** Whether two states are equal. */
export function isSameState(one: ContentState, other: ContentState): boolean {
  return one.terms === other.terms && JSON.stringify(one.versions) === JSON.stringify(other.versions);
}
