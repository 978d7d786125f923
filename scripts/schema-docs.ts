// Writes the tables in docs/schema.md and the views in docs/analytics.md from their definitions.
import { readFileSync, writeFileSync } from 'node:fs'
import { viewsPage } from '@shardwalk/db'
import { schemaPage } from '@shardwalk/tables'

const rewrite = (path: string, change: (page: string) => string): void =>
  writeFileSync(path, change(readFileSync(path, 'utf8')))

rewrite('docs/schema.md', schemaPage)
rewrite('docs/analytics.md', viewsPage)
