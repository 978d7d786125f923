// Checks infra/compose.yaml (plain block YAML with flow lists) as far as possible without Docker: known keys,
// references between services and volumes, mounted files, names of settings.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './lib/prepare.mjs'

const FILE = join(ROOT, 'infra', 'compose.yaml')
const SERVICE_KEYS = new Set([
  ...['image', 'build', 'command', 'entrypoint', 'init', 'restart', 'environment', 'volumes', 'networks'],
  ...['ports', 'depends_on', 'healthcheck', 'shm_size', 'stop_grace_period', 'profiles', 'logging'],
])
/** Settings that only other shapes than this one have, or whose values this one fixes. */
const FIXED = new Set(['API_PORT', 'DATABASE_PORT', 'DATA_DIR', 'LOG_FORMAT', 'REPLAY_SPEED'])
/** Services that log every request. */
const TALKATIVE = ['caddy']
const problems = []
const compose = parse(readFileSync(FILE, 'utf8'))
const settings = readFileSync(join(ROOT, '.env.example'), 'utf8')

for (const key of Object.keys(compose))
  if (!['name', 'services', 'networks', 'volumes'].includes(key)) problems.push(`unknown key ${key}`)
for (const [name, service] of Object.entries(compose.services ?? {})) checkService(name, service)
const passed = new Set(
  Object.values(compose.services ?? {}).flatMap((one) => Object.keys(one.environment ?? {})),
)
// What is written into infra/.env must not be without effect.
for (const [, setting] of settings.matchAll(/^#([A-Z][A-Z0-9_]*)=/gm))
  if (!passed.has(setting) && !FIXED.has(setting)) problems.push(`no service is given ${setting}`)
for (const problem of problems) console.error(`infra/compose.yaml: ${problem}`)
console.log(
  'compose: ' +
    `${problems.length === 0 ? `${Object.keys(compose.services).length} services, no problems` : 'invalid'}`,
)
process.exitCode = problems.length === 0 ? 0 : 1

function checkService(name, service) {
  for (const key of Object.keys(service))
    if (!SERVICE_KEYS.has(key)) problems.push(`${name}: unknown key ${key}`)
  const { 'max-size': logSize, 'max-file': logFiles } = service.logging?.options ?? {}
  if (TALKATIVE.includes(name) && !(logSize && logFiles)) problems.push(`${name}: its log has no bound`)
  if (!service.image && !service.build) problems.push(`${name}: neither image nor build`)
  const dockerfile = service.build && join(ROOT, 'infra', service.build.context, service.build.dockerfile)
  if (dockerfile && !existsSync(dockerfile)) problems.push(`${name}: no ${service.build.dockerfile}`)
  for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
    if (!compose.services[other]) problems.push(`${name}: depends on ${other}, which is not a service`)
    else if (condition !== 'service_completed_successfully' && !compose.services[other].healthcheck)
      problems.push(`${name}: waits for the health of ${other}, which has no health check`)
  }
  for (const volume of service.volumes ?? []) {
    const [source] = volume.split(':')
    const known = source.startsWith('.')
      ? existsSync(join(ROOT, 'infra', source))
      : source in (compose.volumes ?? {})
    if (!known) problems.push(`${name}: volume ${source} does not exist`)
  }
  for (const network of service.networks ?? [])
    if (!(network in (compose.networks ?? {}))) problems.push(`${name}: network ${network} does not exist`)
  for (const variable of Object.keys(service.build ? service.environment : {}))
    if (!settings.includes(`#${variable}=`)) problems.push(`${name}: ${variable} is not a setting`)
}

/** Parses maps, lists of scalars, flow lists, quoted and plain scalars; throws on anything else. */
function parse(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('#'))
  let at = 0
  const indentOf = (line) => line.length - line.trimStart().length
  const block = (indent) => (lines[at].trimStart().startsWith('- ') ? list(indent) : map(indent))
  const list = (indent) => {
    const items = []
    while (at < lines.length && indentOf(lines[at]) === indent)
      items.push(scalar(lines[at++].trim().slice(2)))
    return items
  }
  const map = (indent) => {
    const result = {}
    while (at < lines.length && indentOf(lines[at]) === indent) {
      const match = /^([A-Za-z_][\w-]*):(?: (.+))?$/.exec(lines[at].trim())
      if (!match) throw new Error(`infra/compose.yaml: cannot read "${lines[at]}"`)
      if (match[1] in result) throw new Error(`infra/compose.yaml: ${match[1]} is duplicated`)
      at++
      const nested = at < lines.length && indentOf(lines[at]) > indent
      result[match[1]] =
        match[2] !== undefined ? scalar(match[2]) : nested ? block(indentOf(lines[at])) : null
    }
    if (at < lines.length && indentOf(lines[at]) > indent)
      throw new Error(`infra/compose.yaml: indentation of "${lines[at]}"`)
    return result
  }
  return block(0)
}

function scalar(text) {
  if (text.startsWith('[') || text.startsWith('"')) return JSON.parse(text)
  return text
}
