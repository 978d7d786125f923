// Writes docs/schema.md and docs/views.md from the definitions of tables and views.
import { writeFileSync } from 'node:fs'
import { viewsPage } from '@shardwalk/db'
import { schemaPage } from '@shardwalk/tables'

writeFileSync('docs/schema.md', schemaPage())
writeFileSync('docs/views.md', viewsPage())
