BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0011');
CREATE TABLE alert_marks (
	reader_id INTEGER NOT NULL, 
	watermark INTEGER NOT NULL, 
	CONSTRAINT pk_alert_marks PRIMARY KEY (reader_id), 
	CONSTRAINT fk_alert_marks_reader_id FOREIGN KEY(reader_id) REFERENCES readers (id) ON DELETE CASCADE
);
INSERT INTO "alert_marks" VALUES(1,6);
CREATE TABLE bounce_counts (
	outcome TEXT NOT NULL, 
	count INTEGER NOT NULL, 
	CONSTRAINT pk_bounce_counts PRIMARY KEY (outcome)
);
CREATE TABLE catch_ups (
	edition_id INTEGER NOT NULL, 
	reader_id INTEGER NOT NULL, 
	since DATE NOT NULL, 
	until DATE NOT NULL, 
	arrived INTEGER NOT NULL, 
	good INTEGER NOT NULL, 
	upto INTEGER NOT NULL, 
	topics JSON NOT NULL, 
	skipped JSON NOT NULL, 
	is_automatic BOOLEAN NOT NULL, 
	CONSTRAINT pk_catch_ups PRIMARY KEY (edition_id), 
	CONSTRAINT fk_catch_ups_edition_id FOREIGN KEY(edition_id) REFERENCES editions (id) ON DELETE CASCADE, 
	CONSTRAINT fk_catch_ups_reader_id FOREIGN KEY(reader_id) REFERENCES readers (id) ON DELETE CASCADE
);
CREATE TABLE circuit_breakers (
	kind VARCHAR(16) NOT NULL, 
	since DATETIME NOT NULL, 
	until DATETIME NOT NULL, 
	times INTEGER NOT NULL, 
	why TEXT NOT NULL, 
	CONSTRAINT pk_circuit_breakers PRIMARY KEY (kind)
);
INSERT INTO "circuit_breakers" VALUES('email','2026-11-20 13:00:00.000000','2026-11-20 14:00:00.000000',1,'535 wrong password');
CREATE TABLE corpora (
	version INTEGER NOT NULL, 
	content BLOB NOT NULL, 
	CONSTRAINT pk_corpora PRIMARY KEY (version)
);
CREATE TABLE digests (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	source TEXT NOT NULL, 
	name TEXT NOT NULL, 
	format TEXT NOT NULL, 
	topic TEXT NOT NULL, 
	date DATE, 
	content_hash TEXT NOT NULL, 
	part INTEGER NOT NULL, 
	received_at DATETIME NOT NULL, 
	papers INTEGER NOT NULL, 
	rejected JSON NOT NULL, 
	fresh INTEGER DEFAULT '0' NOT NULL, 
	highest_id TEXT, 
	CONSTRAINT uq_digests_content_hash_part UNIQUE (content_hash, part)
);
INSERT INTO "digests" VALUES(1,'seeds','a.txt','keyword','Rewards','2026-11-19','8bbdd164bdc034e4906f8998e5d14d4c56533004d196b2b9b4624d14446450be',1,'2026-11-20 09:00:00.000000',6,'[]',6,NULL);
CREATE TABLE edition_waits (
	reader_id INTEGER NOT NULL, 
	slot TEXT NOT NULL, 
	since DATETIME NOT NULL, 
	CONSTRAINT pk_edition_waits PRIMARY KEY (reader_id), 
	CONSTRAINT fk_edition_waits_reader_id FOREIGN KEY(reader_id) REFERENCES readers (id) ON DELETE CASCADE
);
CREATE TABLE editions (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	reader_id INTEGER NOT NULL, 
	slot TEXT NOT NULL, 
	date DATE NOT NULL, 
	composed_at DATETIME NOT NULL, 
	considered INTEGER NOT NULL, 
	watermark INTEGER NOT NULL, 
	quiet TEXT, 
	quiet_reason VARCHAR(16), 
	kind VARCHAR(16) NOT NULL, 
	missing JSON DEFAULT '[]' NOT NULL, closest JSON DEFAULT '[]' NOT NULL, follow_ups JSON DEFAULT '[]' NOT NULL, 
	CONSTRAINT uq_editions_reader_id_slot UNIQUE (reader_id, slot), 
	CONSTRAINT fk_editions_reader_id FOREIGN KEY(reader_id) REFERENCES readers (id) ON DELETE CASCADE
);
INSERT INTO "editions" VALUES(1,1,'2026-11-20','2026-11-20','2026-11-20 09:00:00.000000',6,6,NULL,NULL,'edition','[]','[]','[]');
INSERT INTO "editions" VALUES(2,2,'2026-11-20','2026-11-20','2026-11-20 09:00:00.000000',6,6,NULL,NULL,'edition','[]','[]','[]');
INSERT INTO "editions" VALUES(4,4,'2026-11-20','2026-11-20','2026-11-20 09:00:00.000000',6,6,NULL,NULL,'edition','[]','[]','[]');
CREATE TABLE forgotten (
	"key" TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_forgotten PRIMARY KEY ("key")
);
INSERT INTO "forgotten" VALUES('97bc292c384cb5ec4938530613974fb329ae5a268a51f216fc48a6cb54044d57','2026-11-20 12:00:00.000000');
CREATE TABLE leading_authors (
	name TEXT NOT NULL, 
	paper_id INTEGER NOT NULL, 
	CONSTRAINT pk_leading_authors PRIMARY KEY (name, paper_id), 
	CONSTRAINT fk_leading_authors_paper_id FOREIGN KEY(paper_id) REFERENCES papers (id)
);
INSERT INTO "leading_authors" VALUES('annalder',1);
INSERT INTO "leading_authors" VALUES('bobirch',1);
INSERT INTO "leading_authors" VALUES('annalder',2);
INSERT INTO "leading_authors" VALUES('bobirch',2);
INSERT INTO "leading_authors" VALUES('annalder',3);
INSERT INTO "leading_authors" VALUES('bobirch',3);
INSERT INTO "leading_authors" VALUES('annalder',4);
INSERT INTO "leading_authors" VALUES('bobirch',4);
INSERT INTO "leading_authors" VALUES('annalder',5);
INSERT INTO "leading_authors" VALUES('bobirch',5);
INSERT INTO "leading_authors" VALUES('annalder',6);
INSERT INTO "leading_authors" VALUES('bobirch',6);
CREATE TABLE library (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	reader_id INTEGER NOT NULL, 
	origin TEXT NOT NULL, 
	added_at DATETIME NOT NULL, 
	title TEXT NOT NULL, 
	abstract TEXT NOT NULL, 
	authors JSON NOT NULL, 
	published DATE, 
	arxiv_id TEXT, 
	doi TEXT, 
	url TEXT, 
	source_key TEXT, 
	CONSTRAINT fk_library_reader_id FOREIGN KEY(reader_id) REFERENCES readers (id) ON DELETE CASCADE
);
CREATE TABLE library_keys (
	library_id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	CONSTRAINT pk_library_keys PRIMARY KEY (library_id, "key"), 
	CONSTRAINT fk_library_keys_library_id FOREIGN KEY(library_id) REFERENCES library (id) ON DELETE CASCADE
);
CREATE TABLE lookups (
	paper_id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	arxiv_id TEXT, 
	CONSTRAINT pk_lookups PRIMARY KEY (paper_id), 
	CONSTRAINT fk_lookups_paper_id FOREIGN KEY(paper_id) REFERENCES papers (id)
);
CREATE TABLE mixtures (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	reader_id INTEGER, 
	fitted_at DATETIME NOT NULL, 
	votes INTEGER NOT NULL, 
	weights JSON NOT NULL, 
	"offset" FLOAT NOT NULL, 
	CONSTRAINT fk_mixtures_reader_id FOREIGN KEY(reader_id) REFERENCES readers (id) ON DELETE CASCADE
);
CREATE TABLE outbox (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	"key" TEXT NOT NULL, 
	edition_id INTEGER, 
	reader_id INTEGER NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	part INTEGER NOT NULL, 
	subject TEXT NOT NULL, 
	date DATE NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	token TEXT, 
	lease_until DATETIME, 
	not_before DATETIME, 
	attempts INTEGER NOT NULL, 
	code TEXT NOT NULL, 
	detail TEXT NOT NULL, 
	thread TEXT DEFAULT '' NOT NULL, 
	created_at DATETIME NOT NULL, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT uq_outbox_key UNIQUE ("key"), 
	CONSTRAINT fk_outbox_edition_id FOREIGN KEY(edition_id) REFERENCES editions (id) ON DELETE CASCADE, 
	CONSTRAINT fk_outbox_reader_id FOREIGN KEY(reader_id) REFERENCES readers (id) ON DELETE CASCADE
);
INSERT INTO "outbox" VALUES(1,'1:1:email:1',1,1,'email',1,'Reward Hacking in Small Models + 4 more','2026-11-20','sent',NULL,'2026-11-20 09:30:00.025779',NULL,1,'','250 accepted','','2026-11-20 09:00:00.000000','2026-11-20 09:00:00.033297');
INSERT INTO "outbox" VALUES(2,'2:2:email:1',2,2,'email',1,'Reward Hacking in Small Models + 4 more','2026-11-20','sent',NULL,'2026-11-20 09:30:00.044683',NULL,1,'','250 accepted','','2026-11-20 09:00:00.000000','2026-11-20 09:00:00.047804');
INSERT INTO "outbox" VALUES(4,'4:4:email:1',4,4,'email',1,'Reward Hacking in Small Models + 4 more','2026-11-20','sent',NULL,'2026-11-20 09:30:00.057732',NULL,1,'','250 accepted','','2026-11-20 09:00:00.000000','2026-11-20 09:00:00.059699');
CREATE TABLE outbox_bodies (
	outbox_id INTEGER NOT NULL, 
	body BLOB NOT NULL, 
	CONSTRAINT pk_outbox_bodies PRIMARY KEY (outbox_id), 
	CONSTRAINT fk_outbox_bodies_outbox_id FOREIGN KEY(outbox_id) REFERENCES outbox (id) ON DELETE CASCADE
);
CREATE TABLE overrides (
	reader_id INTEGER NOT NULL, 
	size INTEGER, 
	at TIME, 
	days JSON, 
	ignored JSON NOT NULL, 
	timezone TEXT, 
	interests TEXT, 
	keywords JSON, 
	authors JSON, 
	mute JSON, 
	language TEXT, title TEXT, shown_as TEXT, catch_up BOOLEAN, 
	CONSTRAINT pk_overrides PRIMARY KEY (reader_id), 
	CONSTRAINT fk_overrides_reader_id FOREIGN KEY(reader_id) REFERENCES readers (id) ON DELETE CASCADE
);
INSERT INTO "overrides" VALUES(1,2,'07:30:00.000000','["mon","wed"]','["tasks"]',NULL,NULL,NULL,NULL,NULL,'de','Rewards','Ada',1);
CREATE TABLE paper_keys (
	"key" TEXT NOT NULL, 
	paper_id INTEGER NOT NULL, 
	CONSTRAINT pk_paper_keys PRIMARY KEY ("key", paper_id), 
	CONSTRAINT fk_paper_keys_paper_id FOREIGN KEY(paper_id) REFERENCES papers (id)
);
INSERT INTO "paper_keys" VALUES('title:rewardmodelsthatcheckeachstep',1);
INSERT INTO "paper_keys" VALUES('title:policygradientswithfewsamples',2);
INSERT INTO "paper_keys" VALUES('title:rewardhackinginsmallmodels',3);
INSERT INTO "paper_keys" VALUES('title:measuringpreferencenoise',4);
INSERT INTO "paper_keys" VALUES('title:sortinglettersbyhand',5);
INSERT INTO "paper_keys" VALUES('title:verifiablerewardsforproofs',6);
CREATE TABLE papers (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	title TEXT NOT NULL, 
	title_start TEXT NOT NULL, 
	abstract TEXT NOT NULL, 
	authors JSON NOT NULL, 
	author_count INTEGER, 
	published DATE, 
	arxiv_id TEXT, 
	doi TEXT, 
	url TEXT, 
	upvotes INTEGER, 
	organisation TEXT, 
	first_seen DATETIME NOT NULL, 
	version INTEGER, 
	categories JSON DEFAULT '[]' NOT NULL, 
	facts JSON DEFAULT '[]' NOT NULL
);
INSERT INTO "papers" VALUES(1,'Reward Models that Check Each Step','reward models that check each step','We study reward models that check each step and the reward that a model is given for its reasoning. We propose a method with a reward model. It improves results by 2 percent on three tasks.','["Ann Alder","Bo Birch"]',2,'2026-11-18',NULL,NULL,NULL,NULL,NULL,'2026-11-20 09:00:00.000000',NULL,'[]','[]');
INSERT INTO "papers" VALUES(2,'Policy Gradients with Few Samples','policy gradients with few samples','We study policy gradients with few samples and the reward that a model is given for its reasoning. We propose a method with a reward model. It improves results by 3 percent on three tasks.','["Ann Alder","Bo Birch"]',2,'2026-11-18',NULL,NULL,NULL,NULL,NULL,'2026-11-20 09:00:00.000000',NULL,'[]','[]');
INSERT INTO "papers" VALUES(3,'Reward Hacking in Small Models','reward hacking in small models','We study reward hacking in small models and the reward that a model is given for its reasoning. We propose a method with a reward model. It improves results by 4 percent on three tasks.','["Ann Alder","Bo Birch"]',2,'2026-11-18',NULL,NULL,NULL,NULL,NULL,'2026-11-20 09:00:00.000000',NULL,'[]','[]');
INSERT INTO "papers" VALUES(4,'Measuring Preference Noise','measuring preference noise','We study measuring preference noise and the reward that a model is given for its reasoning. We propose a method with a reward model. It improves results by 5 percent on three tasks.','["Ann Alder","Bo Birch"]',2,'2026-11-18',NULL,NULL,NULL,NULL,NULL,'2026-11-20 09:00:00.000000',NULL,'[]','[]');
INSERT INTO "papers" VALUES(5,'Sorting Letters by Hand','sorting letters by hand','We study sorting letters by hand and the reward that a model is given for its reasoning. We propose a method with a reward model. It improves results by 6 percent on three tasks.','["Ann Alder","Bo Birch"]',2,'2026-11-18',NULL,NULL,NULL,NULL,NULL,'2026-11-20 09:00:00.000000',NULL,'[]','[]');
INSERT INTO "papers" VALUES(6,'Verifiable Rewards for Proofs','verifiable rewards for proofs','We study verifiable rewards for proofs and the reward that a model is given for its reasoning. We propose a method with a reward model. It improves results by 7 percent on three tasks.','["Ann Alder","Bo Birch"]',2,'2026-11-18',NULL,NULL,NULL,NULL,NULL,'2026-11-20 09:00:00.000000',NULL,'[]','[]');
CREATE TABLE parse_attempts (
	content_hash TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	problem TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_parse_attempts PRIMARY KEY (content_hash)
);
CREATE TABLE picks (
	edition_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	paper_id INTEGER NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	probability FLOAT NOT NULL, 
	reasons JSON NOT NULL, 
	summary_id INTEGER, 
	marks JSON DEFAULT '[]' NOT NULL, 
	predictions JSON DEFAULT '[]' NOT NULL, 
	CONSTRAINT pk_picks PRIMARY KEY (edition_id, position), 
	CONSTRAINT fk_picks_edition_id FOREIGN KEY(edition_id) REFERENCES editions (id) ON DELETE CASCADE, 
	CONSTRAINT fk_picks_paper_id FOREIGN KEY(paper_id) REFERENCES papers (id), 
	CONSTRAINT fk_picks_summary_id FOREIGN KEY(summary_id) REFERENCES summaries (id)
)
 WITHOUT ROWID

;
INSERT INTO "picks" VALUES(1,1,3,'match',9.73804308691337716652e-01,'[{"kind":"keyword","text":"reward hacking"},{"kind":"wrote","text":"reward models","weight":3.7276}]',3,'[["reward hacking","reward that a model"],[],[]]','[2.2156,0.0,1.4]');
INSERT INTO "picks" VALUES(1,2,2,'match',8.51572352717210545591e-01,'[{"kind":"joins","text":"reward models","near":"reinforcement learning","since":"2026-10-01"},{"kind":"wrote","text":"reward models","weight":2.3449},{"kind":"near","text":"policy gradients","weight":3.3633,"near":"reinforcement learning"}]',2,'[["reward that a model","policy gradients"],[],[]]','[1.747,0.0,0.0]');
INSERT INTO "picks" VALUES(1,3,1,'match',7.36238721154166331217e-01,'[{"kind":"wrote","text":"reward models","weight":4.9029}]',1,'[["reward models"],[],[]]','[1.0265,0.0,0.0]');
INSERT INTO "picks" VALUES(1,4,6,'match',0.640382578771141,'[{"kind":"wrote","text":"reward models","weight":3.9653}]',5,'[["reward that a model"],[],[]]','[0.577,0.0,0.0]');
INSERT INTO "picks" VALUES(1,5,4,'explore',3.78875419092942755661e-01,'[{"kind":"wrote","text":"reward models","weight":2.7849}]',4,'[["reward model"],[]]','[-0.4943,0.0,0.0]');
INSERT INTO "picks" VALUES(2,1,3,'match',9.73804308691337716652e-01,'[{"kind":"keyword","text":"reward hacking"},{"kind":"wrote","text":"reward models","weight":3.7276}]',3,'[["reward hacking","reward that a model"],[],[]]','[2.2156,0.0,1.4]');
INSERT INTO "picks" VALUES(2,2,2,'match',8.51572352717210545591e-01,'[{"kind":"wrote","text":"reward models","weight":2.3449},{"kind":"near","text":"policy gradients","weight":3.3633,"near":"reinforcement learning"}]',2,'[["reward that a model","policy gradients"],[],[]]','[1.747,0.0,0.0]');
INSERT INTO "picks" VALUES(2,3,1,'match',7.36238721154166331217e-01,'[{"kind":"wrote","text":"reward models","weight":4.9029}]',1,'[["reward models"],[],[]]','[1.0265,0.0,0.0]');
INSERT INTO "picks" VALUES(2,4,6,'match',0.640382578771141,'[{"kind":"wrote","text":"reward models","weight":3.9653}]',5,'[["reward that a model"],[],[]]','[0.577,0.0,0.0]');
INSERT INTO "picks" VALUES(2,5,4,'explore',3.78875419092942755661e-01,'[{"kind":"wrote","text":"reward models","weight":2.7849}]',4,'[["reward model"],[]]','[-0.4943,0.0,0.0]');
INSERT INTO "picks" VALUES(4,1,3,'match',9.73804308691337716652e-01,'[{"kind":"keyword","text":"reward hacking"},{"kind":"wrote","text":"reward models","weight":3.7276}]',3,'[["reward hacking","reward that a model"],[],[]]','[2.2156,0.0,1.4]');
INSERT INTO "picks" VALUES(4,2,2,'match',8.51572352717210545591e-01,'[{"kind":"wrote","text":"reward models","weight":2.3449},{"kind":"near","text":"policy gradients","weight":3.3633,"near":"reinforcement learning"}]',2,'[["reward that a model","policy gradients"],[],[]]','[1.747,0.0,0.0]');
INSERT INTO "picks" VALUES(4,3,1,'match',7.36238721154166331217e-01,'[{"kind":"wrote","text":"reward models","weight":4.9029}]',1,'[["reward models"],[],[]]','[1.0265,0.0,0.0]');
INSERT INTO "picks" VALUES(4,4,6,'match',0.640382578771141,'[{"kind":"wrote","text":"reward models","weight":3.9653}]',5,'[["reward that a model"],[],[]]','[0.577,0.0,0.0]');
INSERT INTO "picks" VALUES(4,5,4,'explore',3.78875419092942755661e-01,'[{"kind":"wrote","text":"reward models","weight":2.7849}]',4,'[["reward model"],[]]','[-0.4943,0.0,0.0]');
CREATE TABLE publications (
	paper_id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	CONSTRAINT pk_publications PRIMARY KEY (paper_id), 
	CONSTRAINT fk_publications_paper_id FOREIGN KEY(paper_id) REFERENCES papers (id)
);
CREATE TABLE published_profiles (
	slug TEXT NOT NULL, 
	version BIGINT NOT NULL, 
	content TEXT, 
	CONSTRAINT pk_published_profiles PRIMARY KEY (slug)
);
INSERT INTO "published_profiles" VALUES('rewards',1,'{"title":"Reward models","interests":"Reward models and reinforcement learning for reasoning.","keywords":["reward hacking"],"open":true,"edition":{"threshold":0.0},"schedule":{"at":"08:00:00","timezone":"UTC"}}');
CREATE TABLE rate_limits (
	"key" TEXT NOT NULL, 
	began_at DATETIME NOT NULL, 
	count INTEGER NOT NULL, 
	CONSTRAINT pk_rate_limits PRIMARY KEY ("key")
);
CREATE TABLE reader_lists (
	profile TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	CONSTRAINT pk_reader_lists PRIMARY KEY (profile)
);
INSERT INTO "reader_lists" VALUES('rewards','666479dff882e1e8dc326986d13323bec93045a5aed9ac1931575a8c5bd110f8');
CREATE TABLE reader_models (
	reader_id INTEGER NOT NULL, 
	signature TEXT NOT NULL, 
	vocabulary BIGINT NOT NULL, 
	fitted_at DATETIME NOT NULL, 
	arrays BLOB NOT NULL, 
	CONSTRAINT pk_reader_models PRIMARY KEY (reader_id), 
	CONSTRAINT fk_reader_models_reader_id FOREIGN KEY(reader_id) REFERENCES readers (id) ON DELETE CASCADE
);
CREATE TABLE readers (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	profile TEXT NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	address TEXT NOT NULL, 
	stopped VARCHAR(16), 
	stop_detail TEXT DEFAULT '' NOT NULL, 
	since DATETIME NOT NULL, 
	origin VARCHAR(16) DEFAULT 'file' NOT NULL, 
	CONSTRAINT uq_readers_profile_address UNIQUE (profile, address)
);
INSERT INTO "readers" VALUES(1,'rewards','email','ada@example.org',NULL,'','2026-11-20 09:00:00.000000','file');
INSERT INTO "readers" VALUES(2,'rewards','email','grace@example.org',NULL,'','2026-11-20 09:00:00.000000','file');
INSERT INTO "readers" VALUES(4,'rewards','email','removed@example.org','removed','','2026-11-20 09:00:00.000000','file');
INSERT INTO "readers" VALUES(5,'rewards','email','web@example.org',NULL,'','2026-11-20 12:00:00.000000','web');
INSERT INTO "readers" VALUES(6,'rewards','email','left@example.org','unsubscribed','','2026-11-20 12:00:00.000000','web');
INSERT INTO "readers" VALUES(7,'rewards','email','paused@example.org','paused','','2026-11-20 12:00:00.000000','web');
INSERT INTO "readers" VALUES(8,'rewards','email','refused@example.org','refused','550 no such user','2026-11-20 12:00:00.000000','web');
INSERT INTO "readers" VALUES(9,'rewards','email','waiting@example.org','awaiting','','2026-11-20 12:00:00.000000','web');
INSERT INTO "readers" VALUES(10,'rewards','slack','C0123ABC',NULL,'','2026-11-20 12:00:00.000000','web');
CREATE TABLE revisions (
	paper_id INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	at DATETIME NOT NULL, "before" TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_revisions PRIMARY KEY (paper_id, version), 
	CONSTRAINT fk_revisions_paper_id FOREIGN KEY(paper_id) REFERENCES papers (id)
);
CREATE TABLE salts (
	salt TEXT NOT NULL, 
	CONSTRAINT pk_salts PRIMARY KEY (salt)
);
INSERT INTO "salts" VALUES('21e2f5cdb18a05991a8066a18e357748257445c089d1f144096841952c533f6a');
CREATE TABLE send_rates (
	kind VARCHAR(16) NOT NULL, 
	at DATETIME NOT NULL, 
	tokens FLOAT NOT NULL, 
	share FLOAT NOT NULL, 
	slowed_at DATETIME, 
	day DATE NOT NULL, 
	used INTEGER NOT NULL, 
	CONSTRAINT pk_send_rates PRIMARY KEY (kind)
);
CREATE TABLE sightings (
	digest_id INTEGER NOT NULL, 
	paper_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	alert TEXT, 
	CONSTRAINT pk_sightings PRIMARY KEY (digest_id, paper_id), 
	CONSTRAINT fk_sightings_digest_id FOREIGN KEY(digest_id) REFERENCES digests (id), 
	CONSTRAINT fk_sightings_paper_id FOREIGN KEY(paper_id) REFERENCES papers (id)
);
INSERT INTO "sightings" VALUES(1,1,1,NULL);
INSERT INTO "sightings" VALUES(1,2,2,NULL);
INSERT INTO "sightings" VALUES(1,3,3,NULL);
INSERT INTO "sightings" VALUES(1,4,4,NULL);
INSERT INTO "sightings" VALUES(1,5,5,NULL);
INSERT INTO "sightings" VALUES(1,6,6,NULL);
CREATE TABLE source_states (
	name TEXT NOT NULL, 
	checked_at DATETIME, 
	succeeded_at DATETIME, 
	failures INTEGER NOT NULL, 
	problem TEXT NOT NULL, 
	not_before DATETIME, 
	warned TEXT NOT NULL, 
	memory JSON NOT NULL, 
	failing_since DATETIME, 
	CONSTRAINT pk_source_states PRIMARY KEY (name)
);
INSERT INTO "source_states" VALUES('seeds','2026-11-20 09:00:00.000000','2026-11-20 09:00:00.000000',0,'',NULL,'','{}',NULL);
CREATE TABLE summaries (
	id INTEGER NOT NULL, 
	paper_id INTEGER NOT NULL, 
	digest TEXT NOT NULL, 
	sentences JSON NOT NULL, line TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_summaries PRIMARY KEY (id), 
	CONSTRAINT uq_summaries_digest_paper_id UNIQUE (digest, paper_id), 
	CONSTRAINT fk_summaries_paper_id FOREIGN KEY(paper_id) REFERENCES papers (id)
);
INSERT INTO "summaries" VALUES(1,1,'6ddb5e353c37459ae70c9617','[{"text":"We study reward models that check each step and the reward that a model is given for its reasoning.","role":"task"},{"text":"We propose a method with a reward model.","role":"idea"},{"text":"It improves results by 2 percent on three tasks.","role":"result"}]','Reward Models that Check Each Step');
INSERT INTO "summaries" VALUES(2,2,'7cb14edccf27c825ec1b930e','[{"text":"We study policy gradients with few samples and the reward that a model is given for its reasoning.","role":"task"},{"text":"We propose a method with a reward model.","role":"idea"},{"text":"It improves results by 3 percent on three tasks.","role":"result"}]','Policy Gradients with Few Samples');
INSERT INTO "summaries" VALUES(3,3,'d35c5da6aa3e1239eb75049b','[{"text":"We study reward hacking in small models and the reward that a model is given for its reasoning.","role":"task"},{"text":"We propose a method with a reward model.","role":"idea"},{"text":"It improves results by 4 percent on three tasks.","role":"result"}]','Reward Hacking in Small Models');
INSERT INTO "summaries" VALUES(4,4,'d5bb6fd164d4b6f7ac524b4c','[{"text":"We propose a method with a reward model.","role":"idea"},{"text":"It improves results by 5 percent on three tasks.","role":"result"}]','Measuring Preference Noise');
INSERT INTO "summaries" VALUES(5,6,'d197d4fc081454ba0535e262','[{"text":"We study verifiable rewards for proofs and the reward that a model is given for its reasoning.","role":"task"},{"text":"We propose a method with a reward model.","role":"idea"},{"text":"It improves results by 7 percent on three tasks.","role":"result"}]','Verifiable Rewards for Proofs');
CREATE TABLE tldrs (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	paper_id INTEGER NOT NULL, 
	model TEXT NOT NULL, 
	text TEXT, 
	asked_at DATETIME NOT NULL, 
	CONSTRAINT fk_tldrs_paper_id FOREIGN KEY(paper_id) REFERENCES papers (id)
);
CREATE TABLE visits (
	reader_id INTEGER NOT NULL, 
	day DATE NOT NULL, 
	CONSTRAINT pk_visits PRIMARY KEY (reader_id), 
	CONSTRAINT fk_visits_reader_id FOREIGN KEY(reader_id) REFERENCES readers (id) ON DELETE CASCADE
);
INSERT INTO "visits" VALUES(1,'2026-11-20');
CREATE TABLE votes (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	reader_id INTEGER NOT NULL, 
	paper_id INTEGER NOT NULL, 
	vote VARCHAR(16) NOT NULL, 
	at DATETIME NOT NULL, 
	via TEXT NOT NULL, 
	voter TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT fk_votes_reader_id FOREIGN KEY(reader_id) REFERENCES readers (id) ON DELETE CASCADE, 
	CONSTRAINT fk_votes_paper_id FOREIGN KEY(paper_id) REFERENCES papers (id)
);
INSERT INTO "votes" VALUES(1,1,1,'up','2026-11-20 12:00:00.000000','cli','');
INSERT INTO "votes" VALUES(2,1,5,'down','2026-11-20 12:00:00.000000','cli','');
INSERT INTO "votes" VALUES(3,1,3,'up','2026-11-20 12:00:00.000000','cli','');
INSERT INTO "votes" VALUES(4,2,2,'up','2026-11-20 12:00:00.000000','cli','');
INSERT INTO "votes" VALUES(5,2,1,'down','2026-11-20 12:00:00.000000','cli','');
INSERT INTO "votes" VALUES(6,2,1,'clear','2026-11-20 12:00:00.000000','cli','');
INSERT INTO "votes" VALUES(7,5,4,'up','2026-11-20 12:00:00.000000','mail','');
INSERT INTO "votes" VALUES(8,10,2,'up','2026-11-20 12:00:00.000000','slack','U1');
INSERT INTO "votes" VALUES(9,10,2,'down','2026-11-20 12:00:00.000000','slack','U2');
CREATE TABLE zotero_connections (
	reader_id INTEGER NOT NULL, 
	library TEXT NOT NULL, 
	collections JSON NOT NULL, 
	sealed_key TEXT NOT NULL, 
	saves BOOLEAN NOT NULL, 
	connected_at DATETIME NOT NULL, 
	version BIGINT NOT NULL, 
	checked_at DATETIME, 
	failures INTEGER NOT NULL, 
	problem TEXT NOT NULL, 
	not_before DATETIME, 
	CONSTRAINT pk_zotero_connections PRIMARY KEY (reader_id), 
	CONSTRAINT fk_zotero_connections_reader_id FOREIGN KEY(reader_id) REFERENCES readers (id) ON DELETE CASCADE
);
CREATE TABLE zotero_saves (
	reader_id INTEGER NOT NULL, 
	paper_id INTEGER NOT NULL, 
	item_key TEXT NOT NULL, 
	outbox_key TEXT NOT NULL, 
	CONSTRAINT pk_zotero_saves PRIMARY KEY (reader_id, paper_id), 
	CONSTRAINT fk_zotero_saves_reader_id FOREIGN KEY(reader_id) REFERENCES readers (id) ON DELETE CASCADE, 
	CONSTRAINT fk_zotero_saves_paper_id FOREIGN KEY(paper_id) REFERENCES papers (id)
);
CREATE INDEX ix_digests_source ON digests (source);
CREATE INDEX ix_papers_title_start ON papers (title_start);
CREATE INDEX ix_published_profiles_version ON published_profiles (version);
CREATE INDEX ix_rate_limits_began_at ON rate_limits (began_at);
CREATE INDEX ix_readers_active ON readers (profile, id) WHERE stopped IS NULL;
CREATE INDEX ix_readers_awaiting ON readers (since) WHERE stopped = 'awaiting';
CREATE INDEX ix_editions_reader_id_composed_at ON editions (reader_id, composed_at);
CREATE INDEX ix_editions_reader_id_id_watermark ON editions (reader_id, id, watermark);
CREATE INDEX ix_library_reader_id_added_at ON library (reader_id, added_at);
CREATE INDEX ix_mixtures_reader_id_id ON mixtures (reader_id, id);
CREATE INDEX ix_revisions_at ON revisions (at);
CREATE INDEX ix_sightings_paper_id ON sightings (paper_id);
CREATE INDEX ix_tldrs_asked_at ON tldrs (asked_at);
CREATE INDEX ix_tldrs_paper_id_model ON tldrs (paper_id, model);
CREATE INDEX ix_votes_reader_id_paper_id_id ON votes (reader_id, paper_id, id);
CREATE INDEX ix_library_keys_key ON library_keys ("key");
CREATE INDEX ix_outbox_edition_id_part ON outbox (edition_id, part);
CREATE INDEX ix_outbox_reader_id ON outbox (reader_id);
CREATE INDEX ix_outbox_state_kind_id ON outbox (state, kind, id);
CREATE VIRTUAL TABLE papers_search USING fts5 (title, authors, abstract, tokenize = 'porter unicode61 remove_diacritics 2');
INSERT INTO papers_search (rowid, title, authors, abstract) SELECT id, title, (SELECT group_concat(value, ' ') FROM json_each(authors)), abstract FROM papers;
CREATE TRIGGER papers_search_new AFTER INSERT ON papers BEGIN INSERT INTO papers_search (rowid, title, authors, abstract) SELECT new.id, new.title, (SELECT group_concat(value, ' ') FROM json_each(new.authors)), new.abstract; END;
CREATE TRIGGER papers_search_changed AFTER UPDATE ON papers BEGIN DELETE FROM papers_search WHERE rowid = old.id; INSERT INTO papers_search (rowid, title, authors, abstract) SELECT new.id, new.title, (SELECT group_concat(value, ' ') FROM json_each(new.authors)), new.abstract; END;
CREATE TRIGGER papers_search_gone AFTER DELETE ON papers BEGIN DELETE FROM papers_search WHERE rowid = old.id; END;
CREATE INDEX ix_publications_at ON publications (at);
CREATE INDEX ix_leading_authors_paper_id ON leading_authors (paper_id);
CREATE INDEX ix_catch_ups_reader_id ON catch_ups (reader_id);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('digests',1);
INSERT INTO "sqlite_sequence" VALUES('papers',6);
INSERT INTO "sqlite_sequence" VALUES('readers',11);
INSERT INTO "sqlite_sequence" VALUES('editions',4);
INSERT INTO "sqlite_sequence" VALUES('outbox',4);
INSERT INTO "sqlite_sequence" VALUES('votes',9);
COMMIT;
