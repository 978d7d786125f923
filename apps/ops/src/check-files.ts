import { readFileSync } from 'node:fs'
import { readMarketplaces } from '@shardwalk/actions'
import { DEFINITION, type Settings, SettingsError } from '@shardwalk/settings'

/** Settings that name files, and what reads these. */
const READERS = {
  marketplaceNames: readMarketplaces,
  // Loaded only if there is a file.
  metadataOverrides: async (text: string) => (await import('@shardwalk/metadata')).parseOverrides(text),
} as const satisfies { readonly [K in keyof Settings]?: (text: string) => unknown }

/**
 * Throws `SettingsError` for files of settings that a process could not use: the API would be started again
 * and again, and the process for metadata would go on without its file.
 */
export async function checkFiles(settings: Settings, keys: readonly (keyof typeof READERS)[]): Promise<void> {
  const problems: string[] = []
  for (const key of keys) {
    const file = settings[key]
    try {
      if (file !== undefined) await READERS[key](readFileSync(file, 'utf8'))
    } catch (error) {
      problems.push(`${DEFINITION[key].name}: ${file}: ${(error as Error).message}`)
    }
  }
  if (problems.length > 0) throw new SettingsError(problems)
}
