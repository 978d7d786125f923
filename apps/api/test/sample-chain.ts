export { loadSampleChain } from '@shardwalk/testkit'
