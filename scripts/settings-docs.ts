// Writes docs/configuration.md and .env.example from the definition of the settings.
import { writeFileSync } from 'node:fs'
import { settingsExample, settingsPage } from '@shardwalk/settings'

writeFileSync('docs/configuration.md', settingsPage())
writeFileSync('.env.example', settingsExample())
