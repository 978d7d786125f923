import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ASSET_FILES, ASSET_FOLDER, type Assets } from '@shardwalk/pages'
import type { Express } from 'express'
import { HttpError } from '../http/errors.ts'
import { mountPath } from '../http/mount.ts'

interface StaticFile {
  readonly type: string
  readonly bytes: Buffer
}

/** Files of the console, as its package has them. */
const CONSOLE_FILES = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
} as const

/** Addresses of the files of the console. */
export interface ConsoleAssets {
  readonly scripts: readonly string[]
  readonly style: string
}

/**
 * Serves the static files of pages below `/assets`. Their names contain a hash of their content, so that
 * browsers keep them for ever.
 */
export function mountAssets(app: Express): { readonly page: Assets; readonly console: ConsoleAssets } {
  const files = new Map<string, StaticFile>()
  const add = (name: string, type: string, bytes: Buffer): string => {
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12)
    const path = `/assets/${name.replace(/\.(\w+)$/, `.${hash}.$1`)}`
    files.set(path, { type, bytes })
    return path
  }
  const ours = Object.fromEntries(
    Object.entries(ASSET_FILES).map(([key, { file, type }]) => [
      key,
      add(file, type, readFileSync(new URL(file, ASSET_FOLDER))),
    ]),
  ) as Record<keyof typeof ASSET_FILES, string>
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const [bundle, preset, style] = Object.entries(CONSOLE_FILES).map(([name, type]) =>
    add(name, type, readFileSync(join(folder, name))),
  )
  mountPath(app, '/assets/:name', (request, response) => {
    const file = files.get(request.path)
    if (!file) throw new HttpError(404, `there is no ${request.path}`)
    response.setHeader('Content-Type', file.type)
    response.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    response.setHeader('X-Content-Type-Options', 'nosniff')
    response.end(file.bytes)
  })
  return {
    page: { style: ours.style, script: ours.script, theme: ours.theme, icon: ours.icon, events: ours.events },
    console: { scripts: [bundle!, preset!, ours.console], style: style! },
  }
}
