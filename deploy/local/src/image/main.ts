import path from 'node:path'
import { copyProductionTree } from './production-tree.ts'

// node deploy/local/dist/image/main.js services/escrow /app
const [workspace, target] = process.argv.slice(2)
if (!workspace || !target) throw new Error('name the folder of a workspace and where its program is to be put')
const copied = await copyProductionTree(process.cwd(), workspace, path.resolve(target))
console.log(`${workspace} with ${copied.length - 1} packages`)
