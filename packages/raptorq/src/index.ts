export { BlockDecoder, BlockEncoder, type BlockShape, symbolCount } from './source-block.ts'
