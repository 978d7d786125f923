import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SOURCES = fileURLToPath(new URL('.', import.meta.url))
const ALLOWED = [
  '@shardwalk/api-schema',
  '@shardwalk/contracts',
  '@shardwalk/model',
  'preact',
  'preact-render-to-string',
]

test('TSX imports packages that the layers allow, and assigns no HTML', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.tsx'),
  )
  expect(files.length).toBeGreaterThan(3)
  for (const file of files) {
    const text = readFileSync(join(SOURCES, file), 'utf8')
    for (const [, name] of text.matchAll(/from '([^.'][^']*)'/g))
      expect([file, ALLOWED]).toEqual([file, expect.arrayContaining([name])])
    expect([file, /dangerouslySetInnerHTML|innerHTML/.test(text)]).toEqual([file, false])
  }
})
