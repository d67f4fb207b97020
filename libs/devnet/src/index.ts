export { type Devnet, type DevnetOptions, type DevnetsOptions, type Rpc, startDevnet, startDevnets } from './devnet.ts'
export { folderHolder, lockFolder } from './lock.ts'
export { type Network, processIdentity } from './process.ts'
export { RpcError } from './upstream.ts'
