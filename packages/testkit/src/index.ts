export { FIXTURE_CHAIN_FOLDER, type FixtureBatch, fixtureChain, fixtureZerostate } from './fixture-chain.ts'
export { hasRedisServer, type RedisServer, startRedis } from './redis-server.ts'
export { type ScratchDatabase, type ScratchOptions, scratchDatabase } from './scratch-database.ts'
export { type SyntheticOptions, syntheticAddress, syntheticChain, type VersionedBatch } from './synthetic-chain.ts'
