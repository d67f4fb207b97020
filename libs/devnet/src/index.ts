export { type Devnet, startDevnet, startDevnets } from './devnet.ts'
export { folderHolder, lockFolder } from './lock.ts'
export { startNode, stopNode } from './node.ts'
export { processIdentity } from './process.ts'
