// the file of the package is served under this name, see web/assets.ts
export * from '@noble/secp256k1'
