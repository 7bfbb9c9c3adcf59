// web.js - script of all pages
"use strict";
