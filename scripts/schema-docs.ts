// Writes the tables in docs/schema.md from their definitions.
import { readFileSync, writeFileSync } from 'node:fs'
import { schemaPage } from '@shardwalk/tables'

const PAGE = 'docs/schema.md'
writeFileSync(PAGE, schemaPage(readFileSync(PAGE, 'utf8')))
