'use strict';

// What may import what: one row a library. Everything that a row does not name is an error.
const domain = 'libs/domain/';
const kernel = 'libs/kernel/';
const application = 'libs/application/';
const gatewayPort = 'libs/gateway/(port|notices|index)[./]';
const projections = 'libs/projections/';
// A role sees runtime's ports (Worker, clock, ids, logger, metrics), never its wiring (bootstrap).
const runtimePorts = 'libs/runtime/(?!bootstrap)';
const work = [application, projections, gatewayPort, domain, kernel, runtimePorts];

const libraries = {
  kernel: {
    may: [],
    npm: 'none',
    why: 'The kernel is event sourcing and nothing else: no package, no I/O, no other library.',
  },
  domain: {
    may: [kernel],
    npm: 'none',
    why: 'The domain is pure decisions: it knows the kernel and no package.',
  },
  gateway: {
    may: ['libs/domain/(money|card)[./]', kernel, runtimePorts],
    npm: 'nest',
    why: 'The gateway speaks of amounts and cards, not of payments: another gateway must be able to take its place.',
  },
  application: {
    may: [domain, kernel, gatewayPort, runtimePorts],
    npm: 'nest',
    why: 'Command handlers load, decide and append: how an event is stored, shown or served is not theirs.',
  },
  projections: {
    may: [domain, kernel, runtimePorts],
    npm: 'nest',
    why: 'A read model is a function of events: it never issues commands and knows only the ports of the stores.',
  },
  processing: {
    may: work,
    npm: 'nest',
    why: 'Processing works a to-do list off through commands and the gateway port.',
  },
  webhooks: {
    may: work,
    npm: 'nest',
    why: 'Webhooks work a to-do list off through commands.',
  },
  audit: {
    may: work,
    npm: 'plain',
    why: 'The audit reads history and compares: it needs no framework and no adapter.',
  },
  http: {
    may: [application, 'libs/projections/(index\\.|.*quer)', domain, kernel, runtimePorts],
    npm: 'nest',
    why: 'HTTP turns requests into commands and queries: it reaches neither stores nor workers.',
  },
  storage: {
    may: [kernel],
    // The adapter of EventStoreDB is held to its contract against our own server of that protocol.
    specsMay: ['libs/eventstore-server/'],
    npm: 'plain',
    why: 'An adapter stores events and documents of any kind: it knows the ports in the kernel and no payment.',
  },
  'eventstore-server': {
    may: [kernel, 'libs/storage/embedded/'],
    npm: 'plain',
    why: 'The server speaks a protocol for any log of events: it knows the embedded log, and nothing of payments.',
  },
  roles: {
    may: ['libs/(application|config|gateway|http|kernel|processing|projections|runtime|storage|webhooks)/'],
    npm: 'nest',
    why: 'Apps may not import each other, so what they have in common of putting a process together is here; nothing but apps imports it.',
  },
  config: {
    may: [],
    npm: 'plain',
    why: 'The configuration is read before anything else exists.',
  },
  runtime: {
    may: ['libs/config/', kernel],
    npm: 'nest',
    why: 'The runtime gives the kernel its clock and chance, and carries the roles without knowing them.',
  },
};

const spec = '\\.(spec|contract)\\.ts$';
// What only tests use: specs, contract suites, and the helpers beside them.
const testCode = `${spec}|/(testing|contracts?)/`;
// Specs use real adapters, in memory, and the kernel's given/when/then; contract suites sit beside their port.
const testHelpers = ['libs/(kernel|runtime)/', 'libs/storage/memory[./]', 'libs/[^/]+/testing/', '\\.contract\\.ts$'];

const anyOf = (patterns) => `^(${patterns.join('|')})`;

function rulesOf([name, { may, specsMay = [], why }]) {
  const own = `libs/${name}/`;
  const outside = (allowed) => ({ path: '^(apps|libs|test)/', pathNot: allowed });
  return [
    {
      name: `${name}-imports`,
      comment: why,
      severity: 'error',
      from: { path: `^${own}`, pathNot: testCode },
      to: outside([anyOf([own, ...may])]),
    },
    {
      name: `${name}-spec-imports`,
      comment: `${why} Its tests may also use test helpers, the runtime's clock and the stores in memory.`,
      severity: 'error',
      from: { path: `^${own}.*(${testCode})` },
      to: outside([anyOf([own, ...may, ...specsMay, ...testHelpers.slice(0, -1)]), ...testHelpers.slice(-1)]),
    },
  ];
}

const librariesWith = (...kinds) =>
  Object.keys(libraries)
    .filter((name) => kinds.includes(libraries[name].npm))
    .map((name) => `libs/${name}/`);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(libraries).flatMap(rulesOf),
    {
      name: 'known-libraries',
      comment: 'A new library needs a row in the table: until then it may import nothing of the others.',
      severity: 'error',
      from: { path: '^libs/', pathNot: anyOf(Object.keys(libraries).map((name) => `libs/${name}/`)) },
      to: { path: '^(apps|libs)/' },
    },
    {
      name: 'apps-are-roots',
      comment: 'An app is a composition root: nothing imports it, another app least of all.',
      severity: 'error',
      from: { path: '^(apps|libs|bench|scripts)/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^$1/$2/' },
    },
    {
      name: 'no-test-code-in-the-product',
      comment: 'Specs, contract suites, test helpers and test/ are not part of a build.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: testCode },
      to: { path: `^test/|${testCode}` },
    },
    {
      name: 'pure-libraries',
      comment:
        'The kernel and the domain use no package and nothing of Node: they run anywhere and decide the same everywhere.',
      severity: 'error',
      from: { path: anyOf(librariesWith('none')), pathNot: testCode },
      to: { pathNot: '^(apps|libs|test)/' },
    },
    {
      name: 'nest-stays-at-the-edge',
      comment: 'NestJS wires roles together; a library that can do without it can be used without it.',
      severity: 'error',
      from: { path: anyOf(librariesWith('none', 'plain')) },
      to: { path: 'node_modules/@nestjs/' },
    },
    {
      name: 'no-circular',
      comment: 'A circle has no first file to read, and CommonJS hands out half-loaded modules in one.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'not-resolvable',
      comment: 'An import has to lead somewhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'declared-packages-only',
      comment: 'A package that is not in dependencies is missing, or changes unseen, when only those are installed.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: testCode },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['main', 'types'],
    },
  },
};
