import { readdirSync, readFileSync } from 'node:fs'

const ROOT = new URL('../../../fixtures/blocks/', import.meta.url)

export const fixture = (path: string): Buffer => readFileSync(new URL(path, ROOT))

export interface BlockEntry {
  readonly file: string
  readonly root_hash: string
  readonly cells: number
  readonly file_hash_is_canonical: boolean
}

export const blockIndex = (): readonly BlockEntry[] => JSON.parse(fixture('index.json').toString())

export const filesIn = (folder: string): readonly string[] =>
  readdirSync(new URL(`${folder}/`, ROOT))
    .filter((name) => name.endsWith('.boc'))
    .map((name) => `${folder}/${name}`)
