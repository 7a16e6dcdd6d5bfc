import { InitialSchema1764201600000 } from './1764201600000-initial-schema.js';
import { ImportRuns1764288000000 } from './1764288000000-import-runs.js';
import { ProductDocuments1764291600000 } from './1764291600000-product-documents.js';
import { EligibilityIndex1764378000000 } from './1764378000000-eligibility-index.js';
import { ImportedTables1764460800000 } from './1764460800000-imported-tables.js';
import { VersionBeforeDocuments1764464400000 } from './1764464400000-version-before-documents.js';
import { ImportedFiles1764551000000 } from './1764551000000-imported-files.js';
import { ContentChangedAt1764553000000 } from './1764553000000-content-changed-at.js';
import { CustomerDeactivation1764554000000 } from './1764554000000-customer-deactivation.js';
import { TermsChanges1764556000000 } from './1764556000000-terms-changes.js';
import { CatalogueFindings1764557000000 } from './1764557000000-catalogue-findings.js';
import { ChangeLog1764558000000 } from './1764558000000-change-log.js';

/** Every migration, oldest first. Write a new migration by hand, because it must run on every engine, and add it here. */
export const migrations = [
  InitialSchema1764201600000,
  ImportRuns1764288000000,
  ProductDocuments1764291600000,
  EligibilityIndex1764378000000,
  ImportedTables1764460800000,
  VersionBeforeDocuments1764464400000,
  ImportedFiles1764551000000,
  ContentChangedAt1764553000000,
  CustomerDeactivation1764554000000,
  TermsChanges1764556000000,
  CatalogueFindings1764557000000,
  ChangeLog1764558000000,
];
