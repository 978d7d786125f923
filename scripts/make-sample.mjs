// Creates the bundled sample network from a recorded chain: node scripts/make-sample.mjs <recorded chain>
// <target folder> Checks every block against its file hash. Packages and long texts are stored gzipped, which
// packages/sources reads directly.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'

const [source, target] = process.argv.slice(2)
if (!source || !target) {
  console.error('usage: node scripts/make-sample.mjs <recorded chain> <target folder>')
  process.exit(1)
}

const MAGIC = Buffer.from('01dd8fae', 'hex')
const index = JSON.parse(readFileSync(join(source, 'index.json'), 'utf8'))
checkPacks()
checkBlocks()

const PLAIN = ['facts.json', 'zerostate_-1.boc', 'zerostate_0.boc']
for (const name of PLAIN) copy(name)
for (const name of ['index.json', 'scenario.json', ...index.packs.map((pack) => pack.file)]) compress(name)
for (const folder of ['liteserver-answers', 'node-archive'])
  for (const name of filesBelow(folder)) compress(name)
writeCompressed('proofs.000.pack', packProofs())
report()

function checkPacks() {
  for (const pack of index.packs)
    if (hash(readFileSync(join(source, pack.file))) !== pack.sha256)
      fail(`${pack.file} differs from index.json`)
  for (const zerostate of [index.network.zero_state, index.network.basechain_zero_state])
    if (hash(readFileSync(join(source, zerostate.file))) !== zerostate.file_hash)
      fail(`${zerostate.file} is damaged`)
}

function checkBlocks() {
  const packs = new Map(index.packs.map((pack) => [pack.file, readFileSync(join(source, pack.file))]))
  for (const entry of index.masterchain)
    for (const block of [...entry.shards, entry.block]) {
      const bytes = packs.get(block.file).subarray(block.data_offset, block.data_offset + block.size)
      if (hash(bytes) !== block.file_hash)
        fail(`block (${block.workchain},${block.shard},${block.seqno}) is damaged`)
    }
}

function* filesBelow(folder) {
  for (const name of readdirSync(join(source, folder)).sort()) {
    const path = join(folder, name)
    if (statSync(join(source, path)).isDirectory()) yield* filesBelow(path)
    else yield path
  }
}

function copy(name) {
  writeFileSync(prepare(name), readFileSync(join(source, name)))
}

function compress(name) {
  writeCompressed(name, readFileSync(join(source, name)))
}

function writeCompressed(name, bytes) {
  // gzipSync writes no timestamp, so the same input gives the same file.
  writeFileSync(`${prepare(name)}.gz`, gzipSync(bytes, { level: 9 }))
}

/** Packs the proofs (with signatures) of the recorded masterchain blocks from the node's archive. */
function packProofs() {
  const proofs = new Map()
  for (const name of filesBelow('node-archive'))
    for (const entry of entriesOf(readFileSync(join(source, name)))) proofs.set(entry.name, entry.bytes)
  const wanted = index.masterchain.map(({ block }) => `proof_${formatId(block)}`)
  const missing = wanted.filter((name) => !proofs.has(name))
  if (missing.length > 0) fail(`the node archive lacks ${missing[0]}`)
  return Buffer.concat([MAGIC, ...wanted.map((name) => proofs.get(name))])
}

/**
 * Entries of a package with their headers: uint16 magic, uint16 name length, uint32 data length, name, data.
 */
function* entriesOf(pack) {
  for (let at = 4; at + 8 <= pack.length && pack.readUInt16LE(at) === 0x1e8b; ) {
    const nameEnd = at + 8 + pack.readUInt16LE(at + 2)
    const end = nameEnd + pack.readUInt32LE(at + 4)
    yield { name: pack.toString('utf8', at + 8, nameEnd), bytes: pack.subarray(at, end) }
    at = end
  }
}

function formatId({ workchain, shard, seqno, root_hash, file_hash }) {
  return `(${workchain},${shard},${seqno}):${root_hash.toUpperCase()}:${file_hash.toUpperCase()}`
}

function prepare(name) {
  const path = join(target, name)
  mkdirSync(dirname(path), { recursive: true })
  return path
}

function report() {
  const sizes = new Map()
  for (const path of walk(target)) {
    const part = relative(target, path).split('/')
    const group = part.length > 1 ? part[0] : 'chain'
    sizes.set(group, (sizes.get(group) ?? 0) + statSync(path).size)
  }
  for (const [group, size] of sizes) console.log(`${group}: ${(size / 1e6).toFixed(2)} MB`)
}

function* walk(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) yield* walk(path)
    else yield path
  }
}

function hash(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}

function fail(problem) {
  console.error(problem)
  process.exit(1)
}
