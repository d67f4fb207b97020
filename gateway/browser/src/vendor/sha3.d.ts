// the file of the package is served under this name, see web/assets.ts
export * from '@noble/hashes/sha3.js'
