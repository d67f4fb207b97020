// As `until` of libs/testing: a test is allowed longer where TEST_TIME_FACTOR says that the machine is slow.
const timeFactor = Number(process.env.TEST_TIME_FACTOR ?? 1)

module.exports = {
  require: ['./libs/testing/dist/mocha-setup.js'],
  ignore: ['**/node_modules/**'],
  'node-option': ['enable-source-maps'],
  timeout: 60_000 * timeFactor,
  parallel: true,
  jobs: 4,
}
