import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface LockEntry {
  readonly version?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { packages } = JSON.parse(
  readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8'),
) as { readonly packages: Readonly<Record<string, LockEntry>> }

/** Where Node would look for a package from within another one. */
function* places(from: string, name: string): Generator<string> {
  for (let at = from; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/'))))
    yield `${at}/node_modules/${name}`
  yield `node_modules/${name}`
}

test('the lock file has the optional packages of all platforms, without which `npm ci` refuses it', () => {
  // A registry that lacks packages of other platforms makes npm leave them out when it writes the file.
  const missing = Object.entries(packages).flatMap(([at, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => ![...places(at, name)].some((place) => packages[place]),
    ),
  )
  expect(missing).toEqual([])
})

test('the lock file names no registry', () => {
  const named = Object.values(packages).filter(({ link, resolved }) => !link && resolved !== undefined)
  expect(named).toEqual([])
})
